import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { beforeAll, expect, it } from '@jest/globals'
import { aFunction, describeOptions, type Means, never, perPolicy, truth } from '@sluice/conformance/options'
import { createLimiter, type Decision, fixedWindow, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { createGate, type Gate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import { guardUpgrade, outcomeOf } from '../src/index.ts'
import type { AnyOptions } from '../src/options.ts'
import { createRouteGate } from '../src/route-gate.ts'
import { exchangeOf } from './exchange.ts'

const limit = 3
const policy = fixedWindow({ limit, window: '1h' })
const quiet = { warn: () => {}, error: () => {} }
const names = ['default']
const cost: Means = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const choice: Means = (value) => value === 'local' || value === 'allow' || value === 'deny'
const empty: Means = (value) => Array.isArray(value) && value.length === 0

/** What both the options of all routes and those of one have. */
const common = {
  name: 'tickets',
  charge: 'all-or-nothing',
  shadow: { default: false },
  onStoreFailure: { default: 'local' },
  key: () => 'bob',
  cost: { default: 1 },
  note: () => 'a note',
  skip: () => false,
  allowList: ['198.51.100.0/24'],
  denyList: ['203.0.113.7'],
  onRefused: () => {},
  refuseBy: 'response',
  headers: { x: 'seconds', draft: false },
  ipv6Prefix: 64,
  retryJitter: '5s',
}

const isName: Means = (value) => typeof value === 'string' && value !== '' && value.length <= 100

const isCost: Means = (value) => aFunction(value) || perPolicy(cost, names)(value)

const places: { readonly [place: string]: Means } = {
  policy: aFunction,
  policies: never,
  name: isName,
  charge: never,
  shadow: perPolicy(truth, names),
  'shadow.default': truth,
  onStoreFailure: perPolicy(choice, names),
  'onStoreFailure.default': choice,
  key: aFunction,
  cost: isCost,
  'cost.default': cost,
  note: aFunction,
  skip: aFunction,
  allowList: empty,
  'allowList[0]': never,
  denyList: empty,
  'denyList[0]': never,
  onRefused: aFunction,
  refuseBy: never,
  retryJitter: (value) => typeof value === 'number' || typeof value === 'string',
  headers: (value) => value === false || (Object(value) === value && Object.keys(Object(value)).length === 0),
  'headers.x': (value) => value === false,
  'headers.draft': truth,
  ipv6Prefix: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 128,
}

function store() {
  return memoryStore({ clock: manualClock() })
}

/** A cost of 0 looks without taking. */
function takesNothing({ cost }: { cost?: unknown }): boolean {
  return [cost, ...Object.values(Object(cost))].includes(0)
}

/** false: refused, would be refused outside of shadow mode, or handed to the framework as an error. */
async function passes(gate: Gate<object>): Promise<boolean> {
  try {
    const { decision, refusal } = await handleRequest(gate, exchangeOf())
    return refusal === null && (decision?.shadow ?? null) === null
  } catch {
    return false
  }
}

async function expectLimits(gate: Gate<object>, options: object): Promise<void> {
  if (takesNothing(options)) return
  for (let i = 0; i < limit; i++) await passes(gate)
  expect(await passes(gate)).toBe(false)
}

describeOptions({
  name: 'a gate',
  right: {
    ...common,
    policies: { default: policy },
    settle: () => undefined,
    store: undefined,
    tag: 1,
    observers: [],
    logger: quiet,
  },
  places: { ...places, settle: aFunction, store: never, limiter: never, logger: never },
  related: ['policies', 'policy', 'limiter'],
  make: (options) => createGate<object>({ store: store(), ...options }),
  judge: expectLimits,
})

describeOptions({
  name: 'a route',
  right: { ...common, policies: { default: policy }, settle: () => undefined },
  places: {
    ...places,
    settle: aFunction,
    // What a route has of its own or from all routes, null leaves as it is.
    name: (value) => value === null || isName(value),
    cost: (value) => value === null || isCost(value),
    shadow: (value) => value === null || perPolicy(truth, names)(value),
    onStoreFailure: (value) => value === null || perPolicy(choice, names)(value),
  },
  related: ['policies', 'policy'],
  make(options) {
    const parentOptions: AnyOptions<object> = { policy, store: store(), logger: quiet }
    const parent = createGate<object>(parentOptions)
    return createRouteGate<object>(options, {
      parent,
      parentOptions,
      name: 'GET /',
      inherit: false,
      extra: [],
    })
  },
  judge: expectLimits,
})

/** A socket that nobody is at the other end of. */
function socketOf(): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
}

describeOptions({
  name: 'guardUpgrade',
  right: {
    ...common,
    policies: { default: policy },
    trustProxy: ['10.0.0.0/8'],
    store: undefined,
    logger: quiet,
  },
  places: { ...places, settle: never, trustProxy: empty, 'trustProxy[0]': never, store: never },
  related: ['policies', 'policy', 'settle'],
  make: (options) => guardUpgrade({ store: store(), ...(options as { policy: typeof policy }) }),
  async judge(guard, options: { cost?: unknown; shadow?: unknown }) {
    const inShadow = [options.shadow, ...Object.values(Object(options.shadow))].includes(true)
    if (takesNothing(options) || inShadow) return
    const request = () => new IncomingMessage(new Socket())
    for (let i = 0; i < limit; i++) await guard(request(), socketOf())
    expect(await guard(request(), socketOf())).toBe(false)
  },
})

let tooCostly: Decision
beforeAll(async () => {
  tooCostly = await createLimiter({ policy, store: store() }).check('bob', { cost: limit + 1 })
})

describeOptions({
  name: 'outcomeOf',
  right: { headers: common.headers, accept: 'text/plain' },
  places: {
    headers: places.headers ?? never,
    'headers.x': places['headers.x'] ?? never,
    'headers.draft': truth,
    accept: (value) => typeof value === 'string',
  },
  make: (options) => outcomeOf(tooCostly, options),
  async judge({ refusal }) {
    expect(refusal?.status).toBe(429)
  },
})

it.each([createGate, guardUpgrade])('%p names what is no options at all', (make) => {
  for (const given of [undefined, null, 5, 'options', []]) {
    expect(() => (make as (options: unknown) => unknown)(given)).toThrow(
      'options: expected an object of options',
    )
  }
})
