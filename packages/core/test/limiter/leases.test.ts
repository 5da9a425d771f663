import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  concurrency,
  createLimiter,
  type Decision,
  type Duration,
  fixedWindow,
  type HeldLease,
  type Limiter,
  memoryStore,
  notApplicable,
  type Observer,
  type Policy,
  type Renewal,
  type Store,
} from '../../src/index.ts'

const one = concurrency({ limit: 1, lease: '12s' })
const two = concurrency({ limit: 2, lease: '12s' })

/** A memory store that reports renewals, and can be out of reach for them. */
class Renewed implements Store {
  readonly name = 'renewed'
  readonly clock = manualClock()
  /** How many leases each call brought. */
  readonly calls: number[] = []
  /** The key of the first lease of each. */
  readonly firsts: (string | undefined)[] = []
  away = false
  adjusted = 0
  /** What happens between a renewal and its answer. */
  meanwhile: () => unknown = () => {}
  readonly #inner = memoryStore({ clock: this.clock })

  answer: Store['answer'] = (question) => this.#inner.answer(question)
  adjust: Store['adjust'] = (changes) => {
    this.adjusted++
    return this.#inner.adjust(changes)
  }
  manage: Store['manage'] = (command) => this.#inner.manage(command)
  close = () => this.#inner.close()

  async renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    this.calls.push(held.length)
    this.firsts.push(held[0]?.check.key)
    await this.meanwhile()
    if (this.away) throw new Error('away')
    return (await this.#inner.renew?.(held)) ?? []
  }
}

/** A store that does not count in this process, as far as a limiter can tell, and how many corrections have arrived there. */
function elsewhere(way?: Promise<void>): { readonly store: Store; adjusted(): number } {
  const inner = memoryStore()
  let count = 0
  const store: Store = {
    name: 'elsewhere',
    answer: (question) => inner.answer(question),
    async adjust(changes) {
      await way
      await inner.adjust(changes)
      count++
    },
    manage: (command) => inner.manage(command),
    renew: async (held) => (await inner.renew?.(held)) ?? [],
    close: () => inner.close(),
  }
  return { store, adjusted: () => count }
}

let store: Renewed
beforeEach(() => {
  store = new Renewed()
})

function limiterOf(policy: Policy, observers: readonly Observer[] = []): Limiter<{ default: Policy }> {
  return createLimiter({ policy, store, observers, logger: { warn() {}, error() {} } })
}

async function left(limiter: Limiter<{ default: Policy }>): Promise<number> {
  return (await limiter.peek('bob')).remaining
}

async function advanceEach(...pauses: readonly Duration[]): Promise<void> {
  for (const pause of pauses) await store.clock.advance(pause)
}

describe('a request in flight', () => {
  it('has its place until it is released, however long it takes', async () => {
    const limiter = limiterOf(two)
    const first = await limiter.check('bob')
    const second = await limiter.check('bob')
    expect([first.allowed, second.allowed, (await limiter.check('bob')).allowed]).toEqual([true, true, false])
    await store.clock.advance('10m')
    expect(await left(limiter)).toBe(0)
    await first.release()
    expect(await left(limiter)).toBe(1)
    await second.release()
    await store.clock.advance('10m')
    expect(await left(limiter)).toBe(2)
  })

  it('gives its place back once, and never another’s', async () => {
    const limiter = limiterOf(one)
    const first = await limiter.check('bob')
    await Promise.all([first.release(), first.release()])
    const second = await limiter.check('bob')
    await first.release()
    expect([second.allowed, await left(limiter), store.adjusted]).toEqual([true, 0, 1])
  })

  it('keeps its place when its charge is corrected', async () => {
    const limiter = limiterOf(two)
    const decision = await limiter.check('bob')
    await decision.settle(2)
    await (await limiter.check('bob')).refund()
    expect(await left(limiter)).toBe(0)
    await decision.release()
    expect(await left(limiter)).toBe(1)
  })

  it('has as many places as it costs', async () => {
    const limiter = limiterOf(two)
    const decision = await limiter.check('bob', { cost: 2 })
    expect(await left(limiter)).toBe(0)
    await decision.release()
    expect(await left(limiter)).toBe(2)
  })

  it('that a look asks about takes no place', async () => {
    const limiter = limiterOf(one)
    await (await limiter.peek('bob')).release()
    expect((await limiter.check('bob')).allowed).toBe(true)
  })

  it('of a request that a server has cut off is given back before its limiter has closed', async () => {
    const { store, adjusted } = elsewhere()
    const limiter = createLimiter({ policy: two, store })
    const server = createServer(async (_request, response) => {
      const decision = await limiter.check('bob')
      response.once('close', () => void decision.release())
      response.write('news')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo // it listens
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const client = connect(port, '127.0.0.1').on('error', () => {})
        client.write('GET / HTTP/1.1\r\nHost: zoo\r\n\r\n')
        await once(client, 'data')
        return client
      }),
    )
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    await limiter.close()
    expect(adjusted()).toBe(2)
    for (const client of clients) client.destroy()
  })

  it('that is being given back has its place no more when its limiter has closed', async () => {
    let arrives = () => {}
    const way = new Promise<void>((resolve) => {
      arrives = resolve
    })
    const limiter = createLimiter({ policy: one, store: elsewhere(way).store })
    void (await limiter.check('bob')).release()
    let closed = false
    const closing = limiter.close().then(() => {
      closed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(false)
    arrives()
    await closing
  })

  it('of a limiter that is closed has its place for one lease more, or until it is released', async () => {
    const limiter = limiterOf(one)
    await limiter.check('bob')
    await limiter.close()
    const after = limiterOf(one)
    await advanceEach('11s')
    expect(await left(after)).toBe(0)
    await advanceEach('1s')
    const decision = await after.check('bob')
    await after.close()
    await decision.release()
    expect(await left(limiterOf(one))).toBe(1)
  })
})

describe('renewing', () => {
  // biome-ignore format: a table
  it.each<[string, readonly [after: Duration, then: 'take' | 'release'][], readonly number[]]>([
    // what                                        what happens before another 12 seconds                        leases in each call
    ['nothing that is short',                      [[0, 'take'], ['3.9s', 'release']],                           []],
    ['each third of a lease',                      [[0, 'take']],                                                [1, 1, 1]],
    ['all at once, though they began apart',       [[0, 'take'], ['1s', 'take'], ['1s', 'take']],                [3, 3, 3]],
    ['what is less than half as old later',        [[0, 'take'], ['2.1s', 'take']],                              [1, 2, 2, 2]],
    ['what is left of them',                       [[0, 'take'], ['1s', 'take'], ['4s', 'release']],             [2, 1, 1, 1]],
  ])('asks for %s', async (_what, steps, calls) => {
    const limiter = limiterOf(concurrency({ limit: 9, lease: '12s' }))
    const taken = []
    for (const [after, then] of steps) {
      await store.clock.advance(after)
      if (then === 'take') taken.push(await limiter.check('bob'))
      else await taken.shift()?.release()
    }
    await store.clock.advance('12s')
    expect(store.calls).toEqual(calls)
  })

  it('is one for all limiters of a store', async () => {
    const other = createLimiter({ name: 'other', policy: two, store })
    await Promise.all([limiterOf(two).check('bob'), other.check('bob')])
    await store.clock.advance('4s')
    expect(store.calls).toEqual([2])
  })

  it('of very many is by calls of 500, one in a turn, the shortest leases first, and of what is still held', async () => {
    const many = concurrency({ limit: 2000, lease: '12s' })
    const short = concurrency({ limit: 2000, lease: '11s' })
    const limiter = createLimiter({ name: 'both', policies: { many, short }, store })
    const held: Decision[] = []
    type Subject = Parameters<typeof limiter.check>[0]
    const take = async (subject: Subject) => held.push(await limiter.check(subject))
    for (let i = 0; i < 1199; i++) await take({ many: 'bob', short: notApplicable })
    await take({ many: notApplicable, short: 'ada' })
    const turns: number[] = []
    let turn = 0
    const ticker = () => {
      turn++
      immediate = setImmediate(ticker)
    }
    let immediate = setImmediate(ticker)
    store.meanwhile = async () => {
      turns.push(turn)
      if (turns.length === 1) await held[1198]?.release()
    }
    await store.clock.advance('4s')
    while (store.calls.length < 3) await new Promise((resolve) => setImmediate(resolve))
    clearImmediate(immediate)
    expect(store.calls).toEqual([500, 500, 199])
    expect(new Set(turns).size).toBe(3)
    expect(store.firsts[0]).toBe('ada')
  })

  it('is tried again soon where the store does not answer, and that is no loss', async () => {
    const lost: unknown[] = []
    const limiter = limiterOf(one, [{ lost: (about) => lost.push(about) }])
    await limiter.check('bob')
    store.away = true
    await store.clock.advance('11s')
    expect(store.calls).toHaveLength(8)
    store.away = false
    await store.clock.advance('10m')
    expect([await left(limiter), lost]).toEqual([0, []])
  })

  it('reports once a place that is another’s by then, and takes it again when it is free', async () => {
    const seen: unknown[] = []
    const limiter = limiterOf(one, [
      { lost: (about) => seen.push(about), warned: ({ code }) => seen.push(code) },
    ])
    const first = await limiter.check('bob')
    store.away = true
    await store.clock.advance('12s')
    const second = await limiter.check('bob')
    store.away = false
    await store.clock.advance('1m')
    expect(second.allowed).toBe(true)
    expect(seen).toEqual([{ limiter: 'default', policy: 'default', key: 'bob' }, 'SLUICE_LEASE_LOST'])
    expect(limiter.health().warnings).toContain('SLUICE_LEASE_LOST')
    await second.release()
    await store.clock.advance('4s')
    expect(await left(limiter)).toBe(0)
    await first.release()
    expect(await left(limiter)).toBe(1)
  })

  it('brings nothing to life that is given back meanwhile', async () => {
    const limiter = limiterOf(one)
    const decision = await limiter.check('bob')
    store.meanwhile = () => decision.release()
    await store.clock.advance('4s')
    expect([store.calls, await left(limiter)]).toEqual([[1], 1])
  })
})

describe('beside a rate', () => {
  const policies = { slots: two, rate: fixedWindow({ limit: 3, window: '1h' }) }

  // biome-ignore format: a table
  it.each<['all-or-nothing' | 'every-level', 'slots' | 'rate', { slots: number; rate: number }, readonly [number, number]]>([
    // charge           who refuses  the cost of the refused one  left of two places and three in the window
    ['all-or-nothing',  'slots',     { slots: 2, rate: 1 },       [1, 2]],
    ['all-or-nothing',  'rate',      { slots: 1, rate: 3 },       [1, 2]],
    ['every-level',     'slots',     { slots: 2, rate: 1 },       [1, 1]],
    ['every-level',     'rate',      { slots: 1, rate: 3 },       [1, 2]],
  ])('a place is taken only where the whole request is allowed: %s, refused by %s', async (charge, refusing, cost, left) => {
    const limiter = createLimiter({ policies, charge, store })
    await limiter.check('bob')
    const { allowed, policy } = await limiter.check('bob', { cost })
    expect({ allowed, policy }).toEqual({ allowed: false, policy: refusing })
    const { slots, rate } = (await limiter.peek('bob')).verdicts
    expect([slots?.remaining, rate?.remaining]).toEqual(left)
  })

  it('release frees the place and keeps the charge, refund the other way about', async () => {
    const limiter = createLimiter({ policies, store })
    const decision = await limiter.check('bob')
    const look = async () => {
      const { slots, rate } = (await limiter.peek('bob')).verdicts
      return [slots?.remaining, rate?.remaining]
    }
    await decision.release()
    expect(await look()).toEqual([2, 2])
    await (await limiter.check('bob')).refund()
    expect(await look()).toEqual([1, 2])
  })

  it('a shadow policy takes places where it would let pass, and keeps nobody away', async () => {
    const limiter = createLimiter({ policies, store, shadow: { slots: true } })
    const decisions = [await limiter.check('bob'), await limiter.check('bob'), await limiter.check('bob')]
    expect(decisions.map(({ allowed, shadow }) => [allowed, shadow?.policy])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, 'slots'],
    ])
    await decisions[0]?.release()
    expect((await limiter.peek('bob')).verdicts.slots?.remaining).toBe(1)
  })
})

it('cannot be reserved, nor taken beyond its limit', async () => {
  const limiter = createLimiter({ policy: one, store })
  for (const operation of ['reserve', 'penalize'] as const) {
    // @ts-expect-error a strategy of this limiter cannot
    await expect(limiter[operation]('bob', 1)).rejects.toThrow('concurrency, cannot')
  }
})
