import { setTimeout as after } from 'node:timers/promises'
import { type Asked, inFlight } from './asking.ts'

const tickMs = 2

/** Each request is sent as soon as another one is answered: how many a second, and the CPU time of the server for each. */
export async function flooded(
  { server, ask }: Asked,
  forMs: number,
): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  const fromUs = await server.ask('cpuUs', undefined)
  const startedAt = performance.now()
  let done = 0
  const caller = async () => {
    while (performance.now() - startedAt < forMs) {
      await ask()
      done++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  const perSecond = (done * 1000) / (performance.now() - startedAt)
  return { perSecond, cpuUs: ((await server.ask('cpuUs', undefined)) - fromUs) / done }
}

export interface Steady {
  /** In order, the shortest first. */
  readonly ms: readonly number[]
  readonly errors: number
  /** CPU time of the server for each. */
  readonly cpuUs: number
}

/** A request is due at its own instant, whether or not those before it are answered, and its time counts from then. */
export async function steady(asked: Asked, perSecond: number, forMs: number): Promise<Steady> {
  const ms: number[] = []
  let errors = 0
  let sent = 0
  const under: Promise<void>[] = []
  const send = async (dueAt: number) => {
    try {
      await asked.ask()
      ms.push(performance.now() - dueAt)
    } catch {
      errors++
    }
  }
  const fromUs = await asked.server.ask('cpuUs', undefined)
  const startedAt = performance.now()
  while (performance.now() - startedAt < forMs) {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
    for (; sent < due; sent++) under.push(send(startedAt + (sent * 1000) / perSecond))
    await after(tickMs)
  }
  await Promise.all(under)
  const cpuUs = ((await asked.server.ask('cpuUs', undefined)) - fromUs) / ms.length
  return { ms: ms.sort((a, b) => a - b), errors, cpuUs }
}
