import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import { type Asked, cpuUsOf, inFlight, open } from './asking.ts'

// A service at half of what it can do, for a minute: how long answers take, and what one costs. Server and client have a core each.
// A request is due at its own instant, whether or not those before it are answered, and its time counts from then.
const fullMs = 10_000
const steadyMs = 60_000
const tickMs = 2

function pin(pid: number | undefined, core: number): void {
  const { status } = spawnSync('taskset', ['-cp', String(core), String(pid)])
  if (status !== 0) console.log(`process ${pid} could not be put on core ${core}: the figures mean little`)
}

/** Requests a second where each is sent as soon as another one is answered. */
async function mostOf({ ask }: Asked): Promise<number> {
  const startedAt = performance.now()
  let done = 0
  const caller = async () => {
    while (performance.now() - startedAt < fullMs) {
      await ask()
      done++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  return (done * 1000) / (performance.now() - startedAt)
}

interface Steady {
  readonly ms: readonly number[]
  readonly errors: number
  readonly cpuUs: number
}

async function steady(asked: Asked, perSecond: number): Promise<Steady> {
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
  const before = await cpuUsOf(asked)
  const startedAt = performance.now()
  while (performance.now() - startedAt < steadyMs) {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
    for (; sent < due; sent++) under.push(send(startedAt + (sent * 1000) / perSecond))
    await after(tickMs)
  }
  await Promise.all(under)
  return { ms: ms.sort((a, b) => a - b), errors, cpuUs: (await cpuUsOf(asked)) - before }
}

for (const name of ['grpc', 'http']) {
  const asked = await open(name)
  pin(asked.child.pid, 0)
  pin(process.pid, 1)
  const perSecond = (await mostOf(asked)) / 2
  const { ms, errors, cpuUs } = await steady(asked, perSecond)
  const at = (share: number) => (ms[Math.floor(share * (ms.length - 1))] ?? 0).toFixed(2)
  console.log(
    `${name}: ${perSecond.toFixed(0)} a second for ${steadyMs / 1000} s: ${errors} errors, median ${at(0.5)} ms, 99 % within ${at(0.99)} ms, ${(cpuUs / ms.length).toFixed(1)} µs of the server's CPU a request`,
  )
  asked.child.kill()
  await once(asked.child, 'exit')
}
process.exit(0)
