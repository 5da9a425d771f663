import { createLimiter, type Policy, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'
import { serve } from '../helper.ts'
import { wide } from '../policies.ts'
import { disturbed } from '../rounds.ts'
import { silent } from '../silent.ts'
import { hotKey } from './hot-limiter.ts'

// Started by oneCheck: where counts are kept, and for how long units are taken ahead.
const [url = '', ahead = ''] = process.argv.slice(2)
const common: { policy: Policy; logger: typeof silent } = { policy: wide.counter, logger: silent }
const limiter =
  url === ''
    ? createLimiter(common)
    : createLimiter({
        ...common,
        name: `one ${ahead}`,
        store: redisStore(new Redis(url), { deadline: '5s' }),
        ahead: ahead === '' ? undefined : (ahead as '1m'), // what oneCheck passes
      })

const duties = {
  /** Awaited one after another, all of one key; answers the µs of each. */
  async turn(times: number): Promise<number> {
    const startedAt = performance.now()
    let admitted = 0
    for (let i = 0; i < times; i++) if ((await limiter.check(hotKey)).allowed) admitted++
    const elapsedMs = performance.now() - startedAt
    if (admitted !== times) throw disturbed('Not every check was admitted.')
    return (elapsedMs * 1000) / times
  },
}

export type OneDuties = typeof duties

serve(duties)
