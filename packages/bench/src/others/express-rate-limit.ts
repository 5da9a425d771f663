import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'
import { RedisStore } from 'rate-limit-redis'
import { type MakeAsker, type Place, wideLimit, windowMs } from '../asking/work.ts'

/** A store of express-rate-limit, which is what its middleware asks: the limit is compared with the count that it returns. */
export function expressStoreAt(place: Place): Store {
  if (place.kind === 'memory') return new MemoryStore()
  if (place.kind === 'node-redis') {
    const { client } = place
    return new RedisStore({ sendCommand: (...words) => client.sendCommand(words) })
  }
  const { client } = place
  return new RedisStore({
    // What a script answers is numbers and texts.
    sendCommand: (command, ...args) => client.call(command, ...args) as Promise<number[]>,
  })
}

export const askExpressRateLimit: MakeAsker = async (place, { strategy, policies = 1, refused = false }) => {
  if (strategy !== 'counter' || policies > 1) return undefined
  const limit = refused ? 1 : wideLimit
  const store = expressStoreAt(place)
  await store.init?.({ windowMs } as Options) // the one option that stores read
  return {
    ask: (key) => store.increment(key),
    isRight(answer) {
      const { totalHits } = answer as ClientRateLimitInfo // what increment resolves to
      return totalHits > limit === refused
    },
  }
}
