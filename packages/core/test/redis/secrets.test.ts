import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { AnsweringServer } from '@sluice/faults/outage'
import { attributedWindow, concurrency, createLimiter, redisStore, type StoreEvent } from '../../src/index.ts'
import { type Asker, answering, askers } from './answering.ts'
import { checkOf } from './real-store.ts'

const key = 'alice@example.com'
const note = 'order 66'
const policy = attributedWindow({ limit: 5, window: '1m' })

/** What servers, proxies and other programs say of a call, with the key that it was sent; what is left of that. */
// biome-ignore format: a table
const said: readonly (readonly [left: string, say: (words: readonly string[]) => string])[] = [
  ['WRONGTYPE Operation against the key ', ([, , , name]) => `WRONGTYPE Operation against the key ${name} holding the wrong kind of value`],
  ["ERR no place for the key '",           ([, , , name]) => `ERR no place for the key '${name}', which is '${note}'`],
  ["NOPERM No permissions to access the '", ([, , , name]) => `NOPERM No permissions to access the '${name}' key`],
  ['the server has refused',               ([, , , name]) => `${name} is held elsewhere`],
  ["ERR unknown command 'evalsha'",        ([, ...args]) => `ERR unknown command 'evalsha', with args beginning with: '${args.join("' '")}'`],
]

let say: (words: readonly string[]) => string
let server: AnsweringServer
beforeAll(async () => {
  server = await answering((words) => ({ error: say(words) }))
})
afterAll(() => server.end())

/** All that a log could show of it: hidden members, causes and all. */
function shown(value: unknown): string {
  return inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
  })
}

describe.each(Object.keys(askers))('a key, asked about by %s', (name) => {
  let asker: Asker | undefined
  beforeAll(async () => {
    asker = await askers[name]?.(server.url)
  })
  afterAll(() => asker?.end())

  it.each(said)(
    'stands in no error, no event and no log, however the server names it: %s',
    async (left, text) => {
      say = text
      const seen: unknown[] = []
      const see = (what: unknown) => void seen.push(what)
      const observer = {
        storeFailed: (event: StoreEvent) => see(event),
        storeRecovered: (event: StoreEvent) => see(event),
        warned: see,
      }
      const store = redisStore(asker?.redis ?? server.url, { deadline: '10s' })
      const limiter = createLimiter({
        store,
        policy,
        observers: [observer],
        logger: { warn: see, error: see },
      })
      expect(await limiter.check(key, { note })).toMatchObject({ source: 'fallback' })
      const check = checkOf(policy, { key, note })
      const held = { check: checkOf(concurrency({ limit: 1 }), { key }), receipt: 'r' }
      await Promise.resolve(store.adjust([{ check, receipt: null, byUnits: 1 }])).catch(see)
      await Promise.resolve(store.renew?.([held])).catch(see)
      for (const op of ['block', 'unblock', 'reset', 'inspect'] as const) {
        await Promise.resolve(store.manage({ op, check, us: 1000 })).catch(see)
      }
      await limiter.block(key, '1m').catch(see)
      // An event of each, its line, and what was rejected.
      expect(seen.length).toBeGreaterThan(12)
      const all = shown(seen)
      expect(all).toContain(`[sluice] the store redis failed: ${left}`.trim())
      expect(all).not.toContain(key)
      expect(all).not.toContain(note)
      await limiter.close()
      await store.close()
    },
  )
})
