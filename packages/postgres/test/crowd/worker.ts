import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  type Policies,
  slidingWindowLog,
  uniform,
} from '@sluice/core'
import { postgresStore } from '../../src/index.ts'
import { poolOf } from '../server.ts'

/** What a worker process is sent: which policies, on which key, and when all start at once. */
export interface Start {
  readonly crowd: CrowdName
  readonly key: string
  readonly table: string
  readonly calls: number
  readonly atMs: number
}

/** What it answers. */
export interface Count {
  readonly admitted: number
  readonly refused: number
  /** Answers of the fallback. */
  readonly elsewhere: number
}

export const limit = 60

/** Policies whose limit a crowd that comes at once can reach, and no more: none gives anything back within the hour. */
export const crowds = {
  slidingWindowLog: { only: slidingWindowLog({ limit, window: '1h' }) },
  fixedWindow: { only: fixedWindow({ limit, window: '1h' }) },
  gcra: { only: gcra({ count: limit, period: `${limit}h`, burst: limit - 1 }) },
  concurrency: { only: concurrency({ limit, lease: '1h' }) },
  several: {
    wide: fixedWindow({ limit: limit * 2, window: '1h' }),
    narrow: slidingWindowLog({ limit, window: '1h' }),
  },
  uniform: { only: uniform({ interval: '1h' }) },
} satisfies { readonly [name: string]: Policies }

export type CrowdName = keyof typeof crowds

async function send({ crowd, key, table, calls, atMs }: Start): Promise<Count> {
  const pool = poolOf({ max: 8 })
  // Nothing here is held to a deadline: a busy machine is no outage.
  const store = postgresStore(pool, { table, deadline: '1m', connectDeadline: '1m', statementDeadline: '1m' })
  const policies: Policies = crowds[crowd]
  const limiter = createLimiter({ name: 'crowd', store, policies })
  await limiter.ready()
  await new Promise((resolve) => setTimeout(resolve, atMs - Date.now()))
  const decisions = await Promise.all(Array.from({ length: calls }, () => limiter.check(key)))
  await limiter.close()
  await store.close()
  await pool.end()
  return {
    admitted: decisions.filter(({ allowed }) => allowed).length,
    refused: decisions.filter(({ allowed }) => !allowed).length,
    elsewhere: decisions.filter(({ source }) => source !== 'postgres').length,
  }
}

if (process.send !== undefined) {
  process.on('message', (start: Start) => {
    void send(start).then((count) => process.send?.(count))
  })
  process.send('ready')
}
