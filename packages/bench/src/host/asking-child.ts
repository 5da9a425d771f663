import { createLimiter, redisStore } from '@sluice/core'
import { hostStore } from '@sluice/host'
import { Redis } from 'ioredis'
import { ownCpuUs } from '../cpu-time.ts'
import { serve } from '../helper.ts'
import { wide } from '../policies.ts'
import { type Contender, disturbed, warmUp } from '../rounds.ts'
import { silent } from '../silent.ts'

// Started by hostSections: a process that asks another one, or Redis.
const [kind, place = ''] = process.argv.slice(2)
const keys = Array.from({ length: 10_000 }, (_, i) => `client-${i}`)
const store = kind === 'host' ? hostStore({ path: place }) : redisStore(new Redis(place))
const limiter = createLimiter({ policy: wide.counter, store, logger: silent })
let at = 0

async function askInTurn(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    at = (at + 7919) % keys.length
    const { source, allowed } = await limiter.check(keys[at] ?? '')
    if (!allowed || source !== kind) throw disturbed('Not every answer came from the store.')
  }
}

function contenderOf(atOnce: number): Contender {
  return {
    name: place,
    async run(times) {
      const each = Math.ceil(times / atOnce)
      await Promise.all(Array.from({ length: atOnce }, () => askInTurn(each)))
    },
  }
}

interface Asked {
  readonly perSecond: number
  readonly askingUs: number
}

const duties = {
  async ready(): Promise<void> {
    await limiter.ready()
  },

  /** How many checks fill a turn: as many for each of those in flight. */
  async warmUp({ atOnce, turnMs }: { atOnce: number; turnMs: number }): Promise<number> {
    return atOnce * Math.ceil((await warmUp(contenderOf(atOnce), turnMs)) / atOnce)
  },

  async turn({ atOnce, times }: { atOnce: number; times: number }): Promise<Asked> {
    const fromUs = ownCpuUs()
    const startedAt = performance.now()
    await contenderOf(atOnce).run(times)
    const elapsedMs = performance.now() - startedAt
    return { perSecond: (times * 1000) / elapsedMs, askingUs: (ownCpuUs() - fromUs) / times }
  },
}

export type AskingDuties = typeof duties

serve(duties)
