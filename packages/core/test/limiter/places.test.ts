import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  type Allowed,
  concurrency,
  createLimiter,
  type Decision,
  type Duration,
  gcra,
  isRefusedError,
  memoryStore,
  notApplicable,
  type Policy,
  type Store,
} from '../../src/index.ts'

const silent = { warn() {}, error() {} }

/** A limiter whose clock is moved by hand, and what came of those who wait, in the order in which it came. */
function moving(limit = 1, lease: Duration = '30s') {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const policy = concurrency({ limit, lease })
  const limiter = createLimiter({ policy, store, logger: silent })
  const served: string[] = []
  const held = new Map<string, Decision>()

  /** Waits under a name. */
  function join(name: string, options: Parameters<typeof limiter.wait>[1] = {}): Promise<Decision> {
    const decision = limiter.wait('bob', options)
    decision.then(
      (decided) => {
        served.push(decided.allowed ? name : `${name} refused`)
        if (decided.allowed) held.set(name, decided)
      },
      () => served.push(`${name} gone`),
    )
    return decision
  }

  async function release(name: string): Promise<void> {
    await held.get(name)?.release()
    await settle()
  }

  return { clock, store, policy, limiter, served, join, release }
}

/** A store that answers as another one does, but for what is given. */
function storeAround(inner: Store, given: Partial<Store>): Store {
  return {
    name: 'around',
    can: ['line'],
    answer: (question) => inner.answer(question),
    line: (callers) => inner.line?.(callers) ?? [],
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    close: () => inner.close(),
    ...given,
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}

afterEach(settle)

describe('waiting for a place', () => {
  it('takes a free place at once, and holds it as a check does', async () => {
    const { limiter } = moving()
    const decision = await limiter.wait('bob')
    expect(decision).toMatchObject({ allowed: true, remaining: 0, waitMs: 0, source: 'memory' })
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, reason: 'limited' })
    await decision.release()
    expect(await limiter.check('bob')).toMatchObject({ allowed: true })
  })

  it('gives a place that is released to who has waited longest, without a poll', async () => {
    const { served, join, release } = moving(2)
    for (const name of ['a', 'b', 'c', 'd', 'e']) void join(name)
    await settle()
    expect(served).toEqual(['a', 'b'])
    await release('b')
    expect(served).toEqual(['a', 'b', 'c'])
    await release('a')
    await release('c')
    expect(served).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('serves the higher priority first, and of one priority who came first', async () => {
    const { served, join, release } = moving()
    void join('holder')
    await settle()
    void join('low', { priority: -100 })
    void join('first')
    void join('high', { priority: 5 })
    void join('second')
    void join('higher', { priority: 100 })
    void join('as high', { priority: 5 })
    for (const name of ['holder', 'higher', 'high', 'as high', 'first', 'second']) {
      await settle()
      await release(name)
    }
    expect(served).toEqual(['holder', 'higher', 'high', 'as high', 'first', 'second', 'low'])
  })

  it('lets nobody overtake who costs more than is free', async () => {
    const { served, join, release, limiter } = moving(3)
    for (const name of ['a', 'b', 'c']) void join(name)
    void join('wide', { cost: 3 })
    void join('narrow')
    await settle()
    await release('a')
    await release('b')
    expect(served).toEqual(['a', 'b', 'c'])
    expect(await limiter.check('bob')).toMatchObject({ allowed: false })
    await release('c')
    expect(served).toEqual(['a', 'b', 'c', 'wide'])
    await release('wide')
    expect(served.at(-1)).toBe('narrow')
  })

  it('leaves room for all who wait before a check passes', async () => {
    const { limiter, join, served } = moving(2)
    const [one, two] = [await limiter.check('bob'), await limiter.check('bob')]
    void join('a')
    await settle()
    void one.release()
    void two.release()
    // Both places are free in the store already, and the turn of the first has not been looked at.
    const decisions = await Promise.all([limiter.check('bob'), limiter.check('bob')])
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false])
    await settle()
    expect(served).toEqual(['a'])
  })

  it('refuses when maxWait is over, and not before', async () => {
    const { clock, limiter, join, served } = moving()
    await limiter.check('bob')
    const waiting = join('late', { maxWait: '2s' })
    await clock.advance(1999)
    await settle()
    expect(served).toEqual([])
    await clock.advance(1)
    await settle()
    expect(await waiting).toMatchObject({
      allowed: false,
      reason: 'limited',
      limit: 1,
      remaining: 0,
      retryAfterMs: 1000,
    })
    expect(limiter.health().sleepers).toBe(0)
  })

  it('refuses nobody because this process stood still: who could not be asked for waits on for as long, once', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
    const inner = memoryStore()
    let reply = () => {}
    const replied = new Promise<void>((resolve) => {
      reply = resolve
    })
    const answer: Store['answer'] = async (question) => {
      await replied
      return inner.answer(question)
    }
    const limiter = createLimiter({
      policy: concurrency({ limit: 2 }),
      store: storeAround(inner, { answer }),
      logger: silent,
    })
    const decisions = [limiter.wait('bob', { maxWait: 200 }), limiter.wait('bob', { maxWait: 200 })]
    const behind = limiter.wait('bob', { maxWait: 200 })
    jest.setSystemTime(Date.now() + 100) // no timer could fire meanwhile
    await jest.advanceTimersByTimeAsync(200)
    reply()
    await settle()
    expect(await Promise.all(decisions)).toMatchObject([{ allowed: true }, { allowed: true }])
    jest.setSystemTime(Date.now() + 100)
    await jest.advanceTimersByTimeAsync(100)
    jest.useRealTimers()
    expect(await behind).toMatchObject({ allowed: false, reason: 'limited' })
  })

  it('refuses at once where it may not wait, or where waiting does not help', async () => {
    const { limiter } = moving()
    expect(await limiter.wait('bob', { cost: 2 })).toMatchObject({ allowed: false, reason: 'too-costly' })
    await limiter.check('bob')
    expect(await limiter.wait('bob', { maxWait: 0 })).toMatchObject({ allowed: false, reason: 'limited' })
    await limiter.block('bob', '1h')
    expect(await limiter.wait('bob')).toMatchObject({ allowed: false, reason: 'blocked' })
  })

  it('refuses at once, behind others who wait, what is more than there is', async () => {
    const { join, served } = moving()
    void join('holder')
    void join('a')
    await settle()
    void join('wide', { cost: 2 })
    await settle()
    expect(served).toEqual(['holder', 'wide refused'])
  })

  it('refuses who waits where the key is blocked meanwhile', async () => {
    const { clock, limiter, join } = moving()
    await limiter.check('bob')
    const waiting = join('a')
    await settle()
    await limiter.block('bob', '1h')
    await clock.advance('1s')
    expect(await waiting).toMatchObject({ allowed: false, reason: 'blocked' })
  })

  it('leaves the line at once where its signal is aborted', async () => {
    const { limiter, join, served, release } = moving()
    const given = new AbortController()
    void join('a')
    await settle()
    const aborted = join('b', { signal: given.signal })
    void join('c')
    await settle()
    given.abort(new Error('no longer wanted'))
    await expect(aborted).rejects.toThrow('no longer wanted')
    await settle()
    await release('a')
    expect(served).toEqual(['a', 'b gone', 'c'])
    expect(limiter.health().sleepers).toBe(0)
    await expect(limiter.wait('bob', { signal: given.signal })).rejects.toThrow('no longer wanted')
    await release('c')
    // Nothing is left behind.
    expect(await limiter.peek('bob')).toMatchObject({ remaining: 1, resetAfterMs: 0 })
  })

  it('gives a place back that comes when its caller has gone', async () => {
    const { store: inner, policy } = moving()
    // Its answers come later, as those of a server.
    const store = storeAround(inner, { answer: async (question) => inner.answer(question) })
    const decided = jest.fn()
    const limiter = createLimiter({ policy, store, logger: silent, observers: [{ decided }] })
    const gone = new AbortController()
    const waiting = limiter.wait('bob', { signal: gone.signal })
    gone.abort(new Error('no longer wanted'))
    await expect(waiting).rejects.toThrow('no longer wanted')
    await settle()
    expect(decided).not.toHaveBeenCalled()
    expect(await limiter.peek('bob')).toMatchObject({ remaining: 1, resetAfterMs: 0 })
  })

  it('leaves the line when the question fails, and lets those who come later pass', async () => {
    const { store: inner, policy } = moving()
    let fails = true
    const answer: Store['answer'] = async (question) => {
      if (fails) throw new Error('no answer')
      return inner.answer(question)
    }
    const store = storeAround(inner, { answer })
    const limiter = createLimiter({ policy, store, logger: silent })
    await expect(limiter.wait('bob')).rejects.toThrow('no answer')
    fails = false
    expect(await limiter.wait('bob')).toMatchObject({ allowed: true })
  })

  it('does not let a caller stand in line that is refused for another reason', async () => {
    const { store: inner, policy } = moving()
    let lines = 0
    const line: Store['line'] = (callers) => {
      lines++
      return inner.line?.(callers) ?? []
    }
    const store = storeAround(inner, { line })
    const limiter = createLimiter({ policy, store, logger: silent })
    await limiter.block('bob', '1m')
    expect(await limiter.wait('bob', { maxWait: '1h' })).toMatchObject({ reason: 'blocked' })
    expect(lines).toBe(0)
  })

  it('ends all waits when it is closed, and keeps no turn', async () => {
    const { store, policy, limiter, join, served } = moving()
    const holder = await limiter.check('bob')
    void join('a')
    void join('b')
    await settle()
    await limiter.close()
    await settle()
    expect(served).toEqual(['a gone', 'b gone'])
    await holder.release()
    const again = createLimiter({ policy, store })
    expect((await again.check('bob')).allowed).toBe(true)
    await expect(limiter.wait('bob')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' })
  })

  it('moves on when leases expire, in the order of those who wait', async () => {
    const { clock, store, policy, served, join } = moving(1, '10s')
    const dead = createLimiter({ policy, store, logger: silent })
    await dead.check('bob')
    // From here on its leases run out.
    await dead.close()
    void join('a')
    void join('b')
    await clock.advance(9_900)
    expect(served).toEqual([])
    await clock.advance(400)
    await settle()
    expect(served).toEqual(['a'])
  })

  it('renews a place that was waited for', async () => {
    const { clock, limiter, join, served, release } = moving(1, '1s')
    void join('a')
    await settle()
    void join('b')
    await settle()
    await release('a')
    await clock.advance('10s')
    expect(served).toEqual(['a', 'b'])
    expect((await limiter.check('bob')).allowed).toBe(false)
    await release('b')
    expect((await limiter.check('bob')).allowed).toBe(true)
  })

  it('keeps a turn for as long as its caller waits, and the key as long as that', async () => {
    const { clock, served, join, release } = moving()
    void join('a')
    await settle()
    void join('b', { maxWait: '1h' })
    await clock.advance('50m')
    await settle()
    void join('c', { maxWait: '1h' })
    await settle()
    await release('a')
    expect(served).toEqual(['a', 'b'])
  })

  it('keeps all turns where leases are short', async () => {
    const { clock, served, join, release } = moving(1, '0.1s')
    const names = Array.from({ length: 30 }, (_, i) => `${i}`)
    for (const name of names) {
      void join(name)
      await clock.advance(7)
    }
    await clock.advance('20s')
    for (const name of names) {
      await release(name)
      await settle()
    }
    expect(served).toEqual(names)
  })

  it('lets as many wait as maxSleepers says, and refuses further ones', async () => {
    const clock = manualClock()
    const warned: string[] = []
    const limiter = createLimiter({
      policy: concurrency({ limit: 1 }),
      store: memoryStore({ clock }),
      maxSleepers: 2,
      logger: { ...silent, warn: (line) => warned.push(String(line)) },
    })
    const holder = await limiter.wait('bob')
    const [first, second, third] = [limiter.wait('bob'), limiter.wait('bob'), limiter.wait('bob')]
    expect(await third).toMatchObject({ allowed: false, reason: 'limited' })
    expect(warned).toEqual([expect.stringContaining('SLUICE_MAX_SLEEPERS')])
    await holder.release()
    expect((await first).allowed).toBe(true)
    await (await first).release()
    expect((await second).allowed).toBe(true)
    expect(limiter.health().sleepers).toBe(0)
  })

  it('serves more at once than ask at once', async () => {
    const { served, join, release } = moving(50)
    void join('wide', { cost: 50 })
    await settle()
    for (let i = 0; i < 50; i++) void join(`${i}`)
    await settle()
    await release('wide')
    expect(served).toEqual(['wide', ...Array.from({ length: 50 }, (_, i) => `${i}`)])
  })

  it('has one line for each key, and stands there again where the key was reset', async () => {
    const { clock, limiter, join, served } = moving()
    await limiter.check('bob')
    void join('bob')
    await settle()
    expect((await limiter.wait('eve')).allowed).toBe(true)
    await limiter.reset('bob')
    await clock.advance('1s')
    expect(served).toEqual(['bob'])
  })

  it('does not wait where the policy only watches, or does not apply', async () => {
    const { store, policy } = moving()
    const limiter = createLimiter({ name: 'shadow', policy, store, shadow: true })
    await limiter.check('bob')
    expect(await limiter.wait('bob')).toMatchObject({ allowed: true, shadow: { reason: 'limited' } })
    expect(await limiter.wait({ default: notApplicable })).toMatchObject({ allowed: true })
  })

  it('polls a store little, all lines together', async () => {
    const { clock, store, limiter } = moving()
    const line = jest.spyOn(store, 'line')
    for (const key of ['a', 'b', 'c']) {
      await limiter.check(key)
      for (let i = 0; i < 40; i++) void limiter.wait(key, { maxWait: '1h' }).catch(() => {})
    }
    await settle()
    expect(line).toHaveBeenCalledTimes(1)
    await clock.advance('1s')
    line.mockClear()
    await clock.advance('10s')
    expect(line.mock.calls.length).toBeLessThanOrEqual(45)
    const asked = line.mock.calls.map(([callers]) => callers.length)
    // Sixteen of each line, and once in a second all 32 of whom the store knows.
    expect(Math.max(...asked)).toBe(96)
    expect(asked.filter((count) => count === 48).length).toBeGreaterThan(25)
    await limiter.close()
  })
})

describe('run', () => {
  it('releases its place after the work, also when that throws', async () => {
    const { limiter } = moving()
    const log: string[] = []
    const work = (name: string) => async (decision: Allowed) => {
      log.push(`${name} begins with ${decision.remaining} left`)
      await settle()
      log.push(`${name} ends`)
      if (name === 'b') throw new Error('broken')
      return name
    }
    const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => limiter.run('bob', work(name))))
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(log).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins with 0 left`, `${name} ends`]))
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  it('throws the refusal when maxWait is over, and does no work', async () => {
    const { clock, limiter } = moving()
    await limiter.check('bob')
    const running = limiter.run('bob', () => 'worked', { maxWait: '1s' })
    const outcome = running.catch((error: unknown) => error)
    await clock.advance('1s')
    expect(isRefusedError(await outcome)).toBe(true)
  })
})

describe('what cannot be', () => {
  it('says which policies cannot be waited for together', async () => {
    const policies = { rate: gcra({ count: 1, period: '1s' }), slots: concurrency({ limit: 1 }) }
    const limiter = createLimiter({ policies })
    // @ts-expect-error the type knows
    await expect(limiter.wait('bob')).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'policies' })
    // @ts-expect-error the type knows
    await expect(limiter.run('bob', () => {})).rejects.toThrow(
      'policies: expected one policy, of concurrency, where callers wait for a place: use two limiters in a row, the waiting one first, got "gcra, concurrency" (string)',
    )
    const both = createLimiter({ policies: { a: concurrency({ limit: 1 }), b: concurrency({ limit: 1 }) } })
    await expect(both.wait('bob')).rejects.toMatchObject({ path: 'policies' })
  })

  it('takes a priority only where there is a line, and no jitter there', async () => {
    const { limiter } = moving()
    await expect(limiter.wait('bob', { jitter: true })).rejects.toThrow(/^jitter: expected false/)
    for (const priority of [101, -101, 0.5, '5', Number.NaN])
      await expect(limiter.wait('bob', { priority: priority as number })).rejects.toThrow(
        /^priority: expected/,
      )
    const rate = createLimiter({ policy: gcra({ count: 1, period: '1s' }) })
    await expect(rate.wait('bob', { priority: 1 })).rejects.toThrow(
      /^priority: expected nothing here, as callers of gcra reserve/,
    )
  })

  it('says that a store has no line', async () => {
    const inner = memoryStore()
    const store: Store = {
      name: 'plain',
      answer: (question) => inner.answer(question),
      adjust: (changes) => inner.adjust(changes),
      manage: (command) => inner.manage(command),
      close: () => inner.close(),
    }
    const limiter = createLimiter({ policy: concurrency({ limit: 1 }), store })
    await expect(limiter.wait('bob')).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
      message: 'limiter.wait: the store plain cannot wait',
    })
    await expect(limiter.run('bob', () => {})).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' })
  })

  it('stands in line with the policy of the call', async () => {
    const { limiter } = moving()
    const plan: Policy<'line'> = concurrency({ limit: 2 })
    await limiter.check('bob')
    expect((await limiter.wait('bob', { policy: plan })).allowed).toBe(true)
    await expect(limiter.wait('bob', { policy: gcra({ count: 1, period: '1s' }) })).resolves.toMatchObject({
      allowed: true,
    })
  })
})
