import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  createLimiter,
  gcra,
  memoryStore,
  multiWindow,
  type Policy,
  reservable,
  type Store,
  slidingWindowLog,
} from '../../src/index.ts'

type Waiting = Policy<'reserve' | 'refund' | 'penalize' | 'reward'>

const second = '1s'
const policies: { readonly [name: string]: Waiting } = {
  gcra: gcra({ count: 1, period: second }),
  slidingWindowLog: reservable(slidingWindowLog({ limit: 1, window: second })),
  multiWindow: reservable(multiWindow({ limits: [{ limit: 1, window: second }] })),
}

/** As a store over a network: what it answers comes later. */
function later(store: Store): Store {
  return {
    name: 'later',
    clock: store.clock,
    answer: async (question) => store.answer(question),
    adjust: (changes) => store.adjust(changes),
    manage: (command) => store.manage(command),
    close: () => store.close(),
  }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

const ways = ['by one signal', 'as their limiter is closed', 'before the store has answered']

/** Ten wait behind one that has passed, and give up at once: how long the next one waits. */
async function nextAfter(way: string, store: Store, policy: Waiting): Promise<number> {
  const [limiter, other] = [createLimiter({ store, policy }), createLimiter({ store, policy })]
  await limiter.wait('bob')
  const gone = new AbortController()
  const all = Array.from({ length: 10 }, () => limiter.wait('bob', { signal: gone.signal }))
  const ended = Promise.allSettled(all)
  if (way !== 'before the store has answered') await settle()
  if (way === 'as their limiter is closed') await limiter.close()
  else gone.abort(new Error('gone'))
  expect((await ended).map(({ status }) => status)).toEqual(all.map(() => 'rejected'))
  await settle()
  return (await other.reserve('bob')).waitMs
}

describe.each(Object.keys(policies))(
  'all who wait give up at once, and the next one comes first: %s',
  (name) => {
    it.each(ways)('%s', async (way) => {
      for (const over of [(store: Store) => store, later]) {
        const clock = manualClock()
        const policy = policies[name] ?? gcra({ count: 1, period: second })
        const alone = createLimiter({ store: memoryStore({ clock }), policy })
        await alone.check('bob')
        const expected = (await alone.reserve('bob')).waitMs
        expect(await nextAfter(way, over(memoryStore({ clock })), policy)).toBe(expected)
      }
    })
  },
)
