import { describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, memoryStore, notApplicable } from '@sluice/core'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import type { AnyOptions } from '../src/options.ts'
import { createRouteGate, type RouteOptions } from '../src/route-gate.ts'
import { exchangeOf } from './exchange.ts'

const twoIn10s = fixedWindow({ limit: 2, window: '10s' })
const tenIn10s = fixedWindow({ limit: 10, window: '10s' })
const both = { visitor: twoIn10s, attraction: tenIn10s }

function gateOf(parentOptions: AnyOptions<object>, own: RouteOptions<object>, inherit = false) {
  const parent = createGate<object>(parentOptions)
  return createRouteGate<object>(own, { parent, parentOptions, name: 'GET /a', inherit, extra: [] })
}

/** The policies of a decision, and what its limiter is called. */
async function policiesOf(parent: AnyOptions<object>, own: RouteOptions<object>, inherit = false) {
  const { decision } = await handleRequest(gateOf(parent, own, inherit), exchangeOf())
  return [decision?.limiter, Object.keys(decision?.verdicts ?? {})]
}

describe("a route's options over those of all routes", () => {
  it('say by which policies it counts, and under which name', async () => {
    // biome-ignore format: a table
    const rows = [
      // all routes                          the route's                          inherit  limiter    policies
      [{ policy: tenIn10s, name: 'all' },    {},                                  false,   'all',     ['default']],
      [{ policy: tenIn10s, name: 'all' },    { cost: 2 },                         false,   'all',     ['default']],
      [{ policy: tenIn10s, name: 'all' },    { shadow: true },                    false,   'all',     ['default']],
      [{ policy: tenIn10s, name: 'all' },    { name: 'apart' },                   false,   'apart',   ['default']],
      [{ policy: tenIn10s, name: 'all' },    { policy: twoIn10s },                false,   'GET /a',  ['default']],
      [{ policy: tenIn10s, name: 'all' },    { policies: both },                  false,   'GET /a',  ['visitor', 'attraction']],
      [{ policy: tenIn10s, name: 'all' },    { policy: twoIn10s },                true,    'GET /a',  ['default', 'route']],
      [{ policies: both, name: 'all' },      { policy: twoIn10s, name: 'mine' },  true,    'mine',    ['visitor', 'attraction', 'route']],
      [{ policies: both },                   { policies: { a: twoIn10s } },       true,    'GET /a',  ['visitor', 'attraction', 'a']],
      [{ policies: both, name: 'all' },      { policies: { visitor: tenIn10s } }, true,    'GET /a',  ['attraction', 'visitor']],
      [{ policies: both, name: 'all' },      { without: ['visitor'] },            false,   'all',     ['attraction']],
      [{ policies: both, name: 'all' },      { without: ['visitor'], cost: 2 },   true,    'all',     ['attraction']],
      [{ policies: both, name: 'all' },      { without: [] },                     false,   'all',     ['visitor', 'attraction']],
      [{ policies: both },                   { without: ['visitor'], shadow: { attraction: false } }, false, 'default', ['attraction']],
      [{ policies: both },                   { without: ['visitor'], policy: twoIn10s }, true, 'GET /a', ['attraction', 'route']],
      [{ policies: both },                   { without: ['visitor', 'attraction'] }, false, undefined, []],
      [{ limiter: createLimiter({ policies: both, name: 'made' }) }, { without: ['visitor'] }, false, 'made', ['attraction']],
    ] as const
    for (const [parent, own, inherit, limiter, policies] of rows) {
      expect(await policiesOf(parent, own, inherit)).toEqual([limiter, policies])
    }
  })

  it('slow down, whatever all routes say of refusals and fields', async () => {
    const parent = {
      policy: tenIn10s,
      headers: { draft: true },
      onRefused: () => {},
      settle: () => 0,
      maxWait: 0,
      sendTimeout: '9s',
    } as const
    const gate = gateOf(parent, { policy: twoIn10s, slowDown: { delayAfter: 1, delayMs: 1 } })
    const { decision, headers } = await handleRequest(gate, exchangeOf())
    expect([decision, headers]).toEqual([null, []])
    expect(() =>
      gateOf(parent, { slowDown: { delayAfter: 1, delayMs: 1 }, headers: { draft: true } }),
    ).toThrow('headers: expected nothing here, as slowDown refuses nobody and sends no fields')
  })

  it.each(['store', 'limiter', 'observers', 'logger', 'prices', 'tag'])(
    'have no %s, which all routes have together',
    (option) => {
      expect(() => gateOf({ policy: tenIn10s }, { policy: twoIn10s, [option]: {} })).toThrow(
        `${option}: expected nothing here: write it beside the options of all routes, got "${option}" (string)`,
      )
    },
  )

  it.each(['name', 'shadow', 'onStoreFailure', 'cost', 'policy', 'policies', 'without'])(
    'take null for no %s',
    (path) => {
      for (const own of [{}, { policy: twoIn10s }])
        expect(() => gateOf({ policy: tenIn10s }, { ...own, [path]: null })).toThrow(
          expect.objectContaining({ code: 'SLUICE_OPTION', path, got: 'null' }),
        )
    },
  )

  it('count on the store of all routes', async () => {
    const store = memoryStore()
    await handleRequest(gateOf({ policy: tenIn10s, store }, { policy: twoIn10s }), exchangeOf())
    expect(store.health?.().keys).toBe(1)
  })

  it('leave what they say nothing of as it is, also where they name it', async () => {
    const parent = { policy: tenIn10s, name: 'all', key: () => 'bob', cost: 3 }
    const { decision } = await handleRequest(
      gateOf(parent, { key: undefined, cost: undefined }),
      exchangeOf(),
    )
    expect(decision).toMatchObject({ limiter: 'all', key: 'bob', cost: 3 })
  })

  it('leave inherited policies to the key of all routes, unless they name them', async () => {
    const byNetwork = { policy: tenIn10s }
    const byHost = { policy: tenIn10s, key: async () => 'host' }
    const byNobody = { policy: tenIn10s, key: () => undefined }
    const apart = { policies: both, key: () => ({ visitor: 'ada', attraction: 'zoo' }) }
    // biome-ignore format: a table
    const rows = [
      // all routes   the key of the route                        who is counted
      [byNetwork,     () => 'bob',                                ['192.0.2.1', 'bob']],
      [byNetwork,     async () => 'bob',                          ['192.0.2.1', 'bob']],
      [byNetwork,     () => undefined,                            ['192.0.2.1', 'keyless:192.0.2.1']],
      [byNetwork,     () => notApplicable,                        ['192.0.2.1']],
      [byNetwork,     () => ({ route: 'bob' }),                   ['192.0.2.1', 'bob']],
      [byNetwork,     () => ({ default: 'eve', route: 'bob' }),   ['eve', 'bob']],
      [byNetwork,     () => ({ default: notApplicable, route: 'bob' }), ['bob']],
      [byHost,        () => 'bob',                                ['host', 'bob']],
      [byNobody,      () => 'bob',                                ['keyless:192.0.2.1', 'bob']],
      [apart,         () => 'bob',                                ['ada', 'zoo', 'bob']],
      [apart,         undefined,                                  ['ada', 'zoo', 'keyless:192.0.2.1']],
    ] as const
    for (const [parent, key, counted] of rows) {
      const gate = gateOf(parent, { policy: twoIn10s, key }, true)
      const exchange = exchangeOf()
      const { decision } = await handleRequest(gate, exchange)
      expect(Object.values(decision?.verdicts ?? {}).map((verdict) => verdict?.key)).toEqual(counted)
      const asked: unknown = await gate.keyOf(exchange.request, exchange.facts)
      expect(Object.values(asked as object).filter((each) => each !== notApplicable)).toEqual(counted)
    }
  })

  it('leave a policy chosen for each request to all routes', async () => {
    const parent: AnyOptions<object> = {
      policies: { visitor: async () => twoIn10s, attraction: () => notApplicable },
    }
    expect(await policiesOf(parent, { policy: twoIn10s }, true)).toEqual(['GET /a', ['visitor', 'route']])
    expect(await policiesOf(parent, { cost: 2 })).toEqual(['default', ['visitor']])
  })

  it('take of records by policy what the policies of the route can use', async () => {
    const parent: AnyOptions<object> = {
      policies: both,
      cost: { visitor: 2, attraction: 3 },
      shadow: { visitor: true },
      onStoreFailure: { attraction: 'deny' },
    }
    const { decision } = await handleRequest(
      gateOf(parent, { policies: { attraction: twoIn10s } }),
      exchangeOf(),
    )
    // Its cost of 3 holds for the route's policy of that name.
    expect(decision).toMatchObject({ allowed: false, reason: 'too-costly', cost: 3 })
    const inherited = await handleRequest(gateOf(parent, { policy: twoIn10s }, true), exchangeOf())
    expect(Object.values(inherited.decision?.verdicts ?? {}).map((verdict) => verdict?.cost)).toEqual([
      2, 3, 1,
    ])
  })

  it('are read at once', () => {
    const limiter = createLimiter({ policy: tenIn10s })
    const tree = { name: 'tree', check: limiter.check }
    // biome-ignore format: a table
    const rows = [
      // all routes              the route's                       inherit  path
      [{ policy: tenIn10s },     { polices: both },                false,   'polices'],
      [{ policy: tenIn10s },     { store: memoryStore() },         false,   'store'],
      [{ policy: tenIn10s },     { limiter },                      false,   'limiter'],
      [{ policy: tenIn10s },     { cost: { visitor: 1 } },         false,   'cost.visitor'],
      [{ policy: tenIn10s },     { policy: twoIn10s, cost: 0.5 },  false,   'cost'],
      [{ policy: tenIn10s },     { cost: [] },                     false,   'cost'],
      [{ policy: tenIn10s },     { headers: { x: 'ms' } },         false,   'headers.x'],
      [{ policy: tenIn10s },     { refuseBy: null },               false,   'refuseBy'],
      [{ policy: tenIn10s },     { ipv6Prefix: null },             false,   'ipv6Prefix'],
      [{ policies: both },       { without: 'visitor' },           false,   'without'],
      [{ policies: both },       { without: ['visiter'] },         false,   'without.visiter'],
      [{ policies: both },       { without: ['visitor'], policy: twoIn10s }, false, 'without'],
      [{ limiter: tree },        { without: ['visitor'] },         false,   'without'],
      [{ limiter },              { charge: 'every-level' },        false,   'charge'],
      [{ limiter: tree },        { policy: twoIn10s },             true,    'inherit'],
    ] as const
    for (const [parent, own, inherit, path] of rows) {
      const build = () => gateOf(parent as AnyOptions<object>, own as AnyOptions<object>, inherit)
      expect(build).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
    }
  })
})
