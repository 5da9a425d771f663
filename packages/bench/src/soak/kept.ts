import type { Redis } from 'ioredis'

/** What a process keeps, as soon as nothing more can be collected. */
export interface Kept {
  /** In bytes. */
  readonly heap: number
  readonly resident: number
  readonly timers: number
  readonly listeners: number
}

export function keptBeside(client: Redis): Kept {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const listeners = [process, client].flatMap((emitter) =>
    emitter.eventNames().map((name) => emitter.listenerCount(name)),
  )
  return {
    heap: heapUsed + external,
    resident: rss,
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    listeners: listeners.reduce((sum, each) => sum + each, 0),
  }
}

/** What would keep this process, beside its pipe, and how many listen to the process and the client. */
export function resourcesBeside(client: Redis): readonly string[] {
  const open = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap')
  const listeners = [process, client].flatMap((emitter) =>
    emitter.eventNames().map((name) => `${String(name)} ${emitter.listenerCount(name)}`),
  )
  return [...open, ...listeners].sort()
}
