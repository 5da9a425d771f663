import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { serve } from '../helper.ts'
import type { Left } from './judge.ts'
import { type Kept, keptBeside, resourcesBeside } from './kept.ts'
import { type Limiters, openLimiters } from './limiters.ts'
import { type Request, week } from './week.ts'

// One process of the soak in real time.

interface Task {
  /** Every which request is this process's. */
  readonly nth: number
  readonly processes: number
  /** How much faster than the week itself. */
  readonly speed: number
  /** Of how many requests one is sent. */
  readonly thin: number
}

/** How long what is counted matters: a few of the hours as they are replayed. */
const window = '30s'
const client = new Redis(process.argv[2] ?? '')
const abort = new AbortController()
const under = new Set<Promise<void>>()
let before: readonly string[] = []
let limiters: Limiters
let all: Promise<void> | undefined

async function begin(task: Task): Promise<void> {
  await client.ping()
  before = resourcesBeside(client)
  limiters = openLimiters(client, window)
  all = askAll(task).catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
}

async function askAll({ nth, processes, speed, thin }: Task): Promise<void> {
  const startedMs = performance.now()
  let i = 0
  let sent = 0
  for (const request of week()) {
    if (i++ % (processes * thin) !== nth) continue
    const dueMs = startedMs + request.atUs / 1000 / speed
    const aheadMs = dueMs - performance.now()
    if (aheadMs > 1) await pause(aheadMs, undefined, { signal: abort.signal })
    const asked = ask(request, sent++).finally(() => under.delete(asked))
    under.add(asked)
  }
}

async function ask({ client: key }: Request, i: number): Promise<void> {
  await limiters.count(key)
  if (i % 4 === 0) {
    const place = await limiters.enter(key)
    await pause(i % 100)
    await place.release()
  }
  if (i % 50 === 0) await limiters.standInLine()
}

function kept(): Kept {
  return keptBeside(client)
}

async function end(): Promise<Left> {
  abort.abort()
  await all
  await Promise.all(under)
  await limiters.close()
  const after = resourcesBeside(client)
  client.disconnect()
  return { before, after, tally: limiters.tally }
}

export type Duties = { begin: typeof begin; kept: typeof kept; end: typeof end }
serve({ begin, kept, end } satisfies Duties)
