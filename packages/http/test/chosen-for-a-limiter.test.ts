import { describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, fixedWindow, memoryStore, notApplicable } from '@sluice/core'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import type { AnyOptions } from '../src/options.ts'
import { createRouteGate } from '../src/route-gate.ts'
import { exchangeOf } from './exchange.ts'

const free = fixedWindow({ limit: 1, window: '1d' })
const paid = fixedWindow({ limit: 5, window: '1d' })

interface User {
  readonly plan: 'free' | 'paid' | 'staff'
}
const plans = { free, paid, staff: notApplicable }

/** A limiter with the numbers of no plan, in front of which a policy is chosen for each request. */
function site() {
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1d' }), store: memoryStore() })
  const options = {
    limiter,
    policy: ({ plan }: User) => plans[plan],
    key: ({ plan }: User) => plan,
  }
  return { limiter, options, gate: createGate<User>(options as AnyOptions<User>) }
}

const asked = async (gate: ReturnType<typeof site>['gate'], plan: User['plan']) =>
  (await handleRequest(gate, { ...exchangeOf(), request: { plan } })).decision

describe('a policy that is chosen in place of that of a limiter', () => {
  it('counts by the plan, for which the limiter still resets, blocks and inspects', async () => {
    const { limiter, gate } = site()
    expect(await asked(gate, 'paid')).toMatchObject({ allowed: true, limit: 5 })
    expect(await asked(gate, 'staff')).toBe(null)
    expect(await asked(gate, 'free')).toMatchObject({ allowed: true, limit: 1 })
    expect(await asked(gate, 'free')).toMatchObject({ allowed: false })
    expect((await limiter.inspect('free')).default?.remaining).toBe(99)
    await limiter.reset('free')
    expect(await asked(gate, 'free')).toMatchObject({ allowed: true })
    await limiter.block('paid', '1h')
    expect(await asked(gate, 'paid')).toMatchObject({ reason: 'blocked' })
    await limiter.unblock('paid')
    expect(await asked(gate, 'paid')).toMatchObject({ allowed: true, remaining: 3 })
  })

  it('is chosen for the routes of the application, too', async () => {
    const { options, gate } = site()
    const parentOptions = options as AnyOptions<User>
    const about = { parent: gate, parentOptions, extra: [] }
    const dear = createRouteGate<User>({ cost: 2 }, { ...about, name: 'GET /a', inherit: false })
    expect(await asked(dear, 'paid')).toMatchObject({ limit: 5, remaining: 3 })
    const tight = createRouteGate<User>({ policy: free }, { ...about, name: 'GET /b', inherit: true })
    expect((await asked(tight, 'paid'))?.verdicts).toMatchObject({ default: { limit: 5, remaining: 2 } })
    const own = createRouteGate<User>({ policy: free }, { ...about, name: 'GET /c', inherit: false })
    expect(Object.keys((await asked(own, 'paid'))?.verdicts ?? {})).toEqual(['default'])
  })

  it('may be of places in flight, which are free again when the response ends', async () => {
    const limiter = createLimiter({ policy: free })
    const gate = createGate<object>({
      limiter,
      policy: () => concurrency({ limit: 1 }),
    } as AnyOptions<object>)
    const first = exchangeOf()
    expect((await handleRequest(gate, first)).work).toBeDefined()
  })

  it('is what a limiter of such policies alone asks for, where one of its own is needed', async () => {
    const { limiter } = createGate<object>({ policy: () => free })
    await expect(
      (limiter as typeof limiter & { reset(key: string): Promise<void> }).reset('bob'),
    ).rejects.toThrow(
      'policies.default: expected a policy, while each request chooses its own: write rateLimit({ limiter, policy })',
    )
  })

  it('may be one for each of several policies by name; those without a function stay', async () => {
    const limiter = createLimiter({
      policies: {
        minute: fixedWindow({ limit: 100, window: '1m' }),
        day: fixedWindow({ limit: 200, window: '1d' }),
      },
      store: memoryStore(),
    })
    const options = { limiter, policies: { day: ({ plan }: User) => plans[plan] }, key: () => 'bob' }
    const gate = createGate<User>(options)
    expect((await asked(gate, 'free'))?.verdicts).toMatchObject({
      minute: { allowed: true, limit: 100, remaining: 99 },
      day: { allowed: true, limit: 1, remaining: 0 },
    })
    expect(await asked(gate, 'free')).toMatchObject({ allowed: false, policy: 'day' })
    expect((await asked(gate, 'staff'))?.verdicts).toEqual({
      minute: expect.objectContaining({ remaining: 98 }),
    })
    await limiter.reset('bob')
    expect(await asked(gate, 'free')).toMatchObject({ allowed: true })

    const route = { parent: gate, parentOptions: options as AnyOptions<User>, name: 'GET /a', extra: [] }
    const dear = createRouteGate<User>({ cost: 2 }, { ...route, inherit: false })
    expect((await asked(dear, 'paid'))?.verdicts).toMatchObject({
      minute: { remaining: 97 },
      day: { limit: 5 },
    })
  })

  it('takes the place of a policy of the limiter, and is a function', () => {
    const limiter = createLimiter({ policy: free })
    const several = createLimiter({ policies: { visitor: free, attraction: paid }, name: 'several' })
    const own = 'nothing here, as `limiter` brings its own'
    const one = `${own}, or policy: (req) => …`
    const named = `${own}, or policies: { visitor: (req) => … }`
    const rows: readonly (readonly [object, string, string])[] = [
      [{ limiter, policy: paid }, 'policy', one],
      [{ limiter, policy: fixedWindow }, 'policy', one],
      [{ limiter, policies: { visitor: () => paid } }, 'policies', one],
      [{ limiter, policy: () => paid, policies: { default: () => paid } }, 'policy', one],
      [{ limiter: several, policy: () => paid }, 'policy', named],
      [{ limiter: several, policies: { visitor: () => paid, attraction: paid } }, 'policies', named],
      [{ limiter: several, policies: () => ({ visitor: paid }) }, 'policies', named],
      [{ limiter: several, policies: null }, 'policies', named],
      [{ limiter: several, name: 'mine' }, 'name', own],
      [{ limiter: { name: 'own', check: limiter.check }, policy: () => paid }, 'policy', own],
      [{ limiter: null, policy: () => paid }, 'policy', own],
    ]
    for (const [options, path, expected] of rows)
      expect(() => createGate(options)).toThrow(expect.objectContaining({ path, expected }))
  })
})
