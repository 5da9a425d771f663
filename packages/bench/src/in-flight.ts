import { concurrency, createLimiter, redisStore, type Store } from '@sluice/core'
import type { Bench } from './bench.ts'
import { type CallKind, checks, manyKeys, names } from './calls.ts'
import { wide } from './policies.ts'
import type { Section } from './section.ts'
import { serverTimeOf } from './server-time.ts'
import { silent } from './silent.ts'

export const slotName = 'concurrency, taken and released'

/** What a request in flight costs the server from its beginning to its end, compared with a counter's check. */
export async function inFlight({ client, pace }: Bench): Promise<Section> {
  const store = redisStore(client)
  const counter = checks(store, { name: names.counter, policies: { default: wide.counter } })
  const kinds = [counter, slots(store)]
  for (const { ask } of kinds) await ask(0)
  const about = { id: 'in-flight', title: 'Server time of a request in flight, 64 at once' }
  return serverTimeOf(client, kinds, { ...about, ratiosTo: [names.counter], pace })
}

function slots(store: Store): CallKind {
  const limiter = createLimiter({ name: 'slots', policy: concurrency({ limit: 100 }), store, logger: silent })
  return {
    name: slotName,
    command: 'evalsha',
    async ask(i) {
      const decision = await limiter.check(manyKeys[i % manyKeys.length] ?? '')
      await decision.release()
      return decision.allowed && decision.source === 'redis'
    },
    isRight: (answer) => answer === true,
  }
}
