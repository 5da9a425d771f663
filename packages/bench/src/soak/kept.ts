import type { Redis } from 'ioredis'
import { usedHeapBytes } from '../heap-used.ts'

/** What a process keeps, as soon as nothing more can be collected. */
export interface Kept {
  /** In bytes. */
  readonly heap: number
  readonly timers: number
  readonly listeners: number
}

export function keptBeside(client: Redis): Kept {
  return {
    heap: usedHeapBytes(),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    listeners: listenersTo(client).reduce((sum, { count }) => sum + count, 0),
  }
}

/** What would keep this process, beside its pipe, and how many listen to the process and the client. */
export function resourcesBeside(client: Redis): readonly string[] {
  const open = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap')
  const listeners = listenersTo(client).map(({ name, count }) => `${name} ${count}`)
  return [...open, ...listeners].sort()
}

/** By event, how many listen to the process and to a client. */
function listenersTo(client: Redis): readonly { readonly name: string; readonly count: number }[] {
  return [process, client].flatMap((emitter) =>
    emitter.eventNames().map((name) => ({ name: String(name), count: emitter.listenerCount(name) })),
  )
}
