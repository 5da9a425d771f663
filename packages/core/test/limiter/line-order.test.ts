import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { concurrency, createLimiter, type Decision, memoryStore, type Store } from '../../src/index.ts'
import { seeded } from '../ahead/virtual.ts'

const silent = { warn() {}, error() {} }
type Clock = ReturnType<typeof manualClock>

/** How long a call is on its way, and its answer; in ms. */
interface Transit {
  readonly thereMs: number
  readonly backMs: number
}

/** What one process sees of a store elsewhere. */
function farStore(near: Store, clock: Clock, transit: (call: 'check' | 'line' | 'free') => Transit) {
  const asked: number[] = []
  async function through<T>(call: 'check' | 'line' | 'free', serve: () => T | Promise<T>): Promise<T> {
    const { thereMs, backMs } = transit(call)
    if (thereMs > 0) await clock.sleep?.(thereMs)
    const answer = await serve()
    if (backMs > 0) await clock.sleep?.(backMs)
    return answer
  }
  const store: Store = {
    name: 'far',
    can: ['line'],
    clock,
    answer: (question) => through('check', () => near.answer(question)),
    adjust: (changes) => through('free', () => near.adjust(changes)),
    renew: (held) => near.renew?.(held) ?? [],
    line: (callers) => {
      asked.push(callers.length)
      // As a client spells them when it is called.
      const sent = callers.map((caller) => ({ ...caller, waitedUs: caller.waitedUs }))
      return through('line', () => near.line?.(sent) ?? [])
    },
    manage: (command) => near.manage(command),
    close: async () => {},
  }
  return { store, asked }
}

async function pass(clock: Clock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5) {
    await clock.advance(Math.min(5, left))
    for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A process of one limiter, and who was served in it in which order. */
function processOf(store: Store, served: string[], limit = 1) {
  const limiter = createLimiter({ name: 'line', policy: concurrency({ limit }), store, logger: silent })
  const held = new Map<string, Decision>()
  const join = (name: string, options: Parameters<typeof limiter.wait>[1] = {}) =>
    void limiter.wait('bob', { maxWait: '1h', ...options }).then(
      (decision) => {
        served.push(decision.allowed ? name : `${name} refused`)
        held.set(name, decision)
      },
      () => {},
    )
  return { limiter, join, held }
}

const none: Transit = { thereMs: 0, backMs: 0 }

describe('in the line of one process', () => {
  it.each(['check', 'line'] as const)(
    'a caller whose first %s is slow is served before the next one',
    async (slow) => {
      const clock = manualClock()
      // The holder checks before it.
      let calls = slow === 'check' ? -1 : 0
      const { store } = farStore(memoryStore({ clock }), clock, (call) =>
        call === slow && calls++ === 0 ? { thereMs: 100, backMs: 0 } : none,
      )
      const served: string[] = []
      const { limiter, join } = processOf(store, served)
      const holder = await limiter.check('bob')
      join('first')
      await pass(clock, 20)
      join('second')
      await pass(clock, 300)
      await holder.release()
      await pass(clock, 300)
      expect(served).toEqual(['first'])
      await limiter.close()
    },
  )

  it('a caller waits for the check of one that came before it, though its own would be answered sooner', async () => {
    const clock = manualClock()
    const near = memoryStore({ clock })
    const slow = { check: 0, line: 0, free: 0 }
    const { store } = farStore(near, clock, (call) => ({ thereMs: slow[call], backMs: 0 }))
    const served: string[] = []
    const { limiter, join } = processOf(store, served)
    const holder = await limiter.check('bob')
    slow.check = 100
    join('first')
    await pass(clock, 10)
    slow.check = 0
    join('second')
    await pass(clock, 10)
    await holder.release()
    await pass(clock, 200)
    expect(served).toEqual(['first'])
    await limiter.close()
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('nobody passes one that came before it (history %d)', async (seed) => {
    const random = seeded(seed)
    const clock = manualClock()
    const near = memoryStore({ clock })
    const limit = 1 + Math.floor(random() * 40)
    const { store } = farStore(near, clock, () =>
      random() < 0.5
        ? none
        : { thereMs: Math.floor(random() ** 3 * 120), backMs: Math.floor(random() ** 3 * 60) },
    )
    const limiter = createLimiter({ policy: concurrency({ limit }), store, logger: silent })
    interface Caller {
      readonly nth: number
      readonly priority: number
      decision?: Decision
    }
    const waiting = new Set<Caller>()
    const passed: string[] = []
    const held: Decision[] = []
    let comes = 0
    for (let step = 0; step < 150; step++) {
      if (random() < 0.7) {
        const caller: Caller = { nth: comes++, priority: random() < 0.8 ? 0 : 1 }
        waiting.add(caller)
        const cost = random() < 0.8 ? 1 : 1 + Math.floor(random() * Math.min(3, limit))
        void limiter.wait('bob', { maxWait: '1h', priority: caller.priority, cost }).then((decision) => {
          waiting.delete(caller)
          held.push(decision)
          for (const { nth, priority } of waiting)
            if (nth < caller.nth && priority === caller.priority) passed.push(`${caller.nth} passed ${nth}`)
        })
      }
      if (random() < 0.4) void held.splice(Math.floor(random() * held.length), 1)[0]?.release()
      await pass(clock, Math.floor(random() * 60))
    }
    while (waiting.size > 0) {
      for (const decision of held.splice(0)) void decision.release()
      await pass(clock, 300)
    }
    expect(passed).toEqual([])
    await limiter.close()
  })
})

it('a slow first call costs a process no turn of another process', async () => {
  const clock = manualClock()
  const near = memoryStore({ clock })
  let calls = 0
  const far = farStore(near, clock, (call) =>
    call === 'line' && calls++ === 0 ? { thereMs: 100, backMs: 0 } : none,
  )
  const served: string[] = []
  const [one, other] = [
    processOf(far.store, served),
    processOf(farStore(near, clock, () => none).store, served),
  ]
  const holder = await other.limiter.check('bob')
  one.join('first')
  await pass(clock, 20)
  other.join('second')
  await pass(clock, 400)
  await holder.release()
  await pass(clock, 600)
  expect(served).toEqual(['first'])
  await one.limiter.close()
  await other.limiter.close()
})

describe('with thousands in the line of one key', () => {
  it('the store is asked for a few of them, they are served in their order, and a block refuses all that are left', async () => {
    const clock = manualClock()
    const served: string[] = []
    const { store, asked } = farStore(memoryStore({ clock }), clock, () => none)
    const { limiter, join, held } = processOf(store, served)
    const holder = await limiter.check('bob')
    for (let i = 0; i < 9000; i++) join(String(i))
    await pass(clock, 3000)
    expect(Math.max(...asked)).toBeLessThanOrEqual(32)
    // Four or five calls a second of sixteen, and one for the other sixteen.
    expect(asked.reduce((sum, each) => sum + each, 0)).toBeLessThan(3 * 6 * 32)
    await holder.release()
    for (let i = 0; i < 100; i++) {
      await pass(clock, 5)
      await held.get(String(i))?.release()
    }
    await pass(clock, 5)
    expect(served).toEqual(Array.from({ length: 101 }, (_, i) => String(i)))
    expect(Math.max(...asked)).toBeLessThanOrEqual(32)
    await limiter.block('bob', '1m')
    await pass(clock, 1000)
    expect(served.filter((each) => each.endsWith('refused'))).toHaveLength(9000 - 101)
    expect(limiter.health().sleepers).toBe(0)
    await limiter.close()
  })
})

it('a limiter that is closed while its line asks is closed once the store knows that its callers have left', async () => {
  const clock = manualClock()
  const near = memoryStore({ clock })
  const { store } = farStore(near, clock, (call) => (call === 'line' ? { thereMs: 50, backMs: 0 } : none))
  const { limiter, join } = processOf(store, [])
  const { limiter: other } = processOf(near, [])
  const holder = await limiter.check('bob')
  join('one')
  await pass(clock, 5)
  const seen = limiter.close().then(async () => {
    await holder.release()
    return other.check('bob')
  })
  await pass(clock, 200)
  expect(await seen).toMatchObject({ allowed: true })
  await other.close()
})
