import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it, test } from '@jest/globals'
import { everyNth } from '@sluice/conformance/internal'
import { createLimiter, gcra, type Policy } from '@sluice/core'
import * as strategies from '@sluice/core/strategies'
import { guardRequest } from '../src/index.ts'
import { checkArguments, createGate, createRouteGate } from '../src/internal/index.ts'

const policy = gcra({ count: 5, period: '1s' })
const makers: readonly (readonly [string, unknown])[] = [
  ...Object.entries(strategies),
  ['a strategy of your own', everyNth],
  // As another copy of this package marks it.
  ['one of another copy', Object.assign(() => policy, { [Symbol.for('sluice.makesPolicies')]: true })],
]

/** Every place that takes a policy, with a strategy that was not called in it. */
function places(maker: Policy): readonly (readonly [string, () => unknown])[] {
  const parentOptions = { policy }
  const about = { parentOptions, name: 'GET /', inherit: false, extra: [] }
  const route = (options: object) =>
    createRouteGate(options, { ...about, parent: createGate<object>(parentOptions) })
  return [
    ['policy', () => createLimiter({ policy: maker })],
    ['policies.visitor', () => createLimiter({ policies: { visitor: maker } })],
    ['policy', () => createGate({ policy: maker })],
    ['policies.visitor', () => createGate({ policies: { visitor: maker } })],
    ['policy', () => route({ policy: maker })],
    ['policies.visitor', () => route({ policies: { visitor: maker } })],
  ]
}

describe('a strategy that was not called, where its policy is meant', () => {
  it.each(makers)('is refused at construction: %s', (_name, maker) => {
    for (const [path, make] of places(maker as Policy)) {
      expect(make).toThrow(
        `${path}: expected a policy: call the strategy, as in gcra({ count: 100, period: "1m" })`,
      )
      expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }))
    }
  })

  it('is no function of a user that chooses a policy, whatever that is called', () => {
    const chooser = { gcra: () => policy }.gcra
    expect(() => createGate({ policy: chooser })).not.toThrow()
  })

  it('is refused in a call, too', async () => {
    const limiter = createLimiter({ policy })
    const asked = limiter.check('bob', { policy: gcra as unknown as Policy })
    await expect(asked).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'policy' })
  })
})

test.each([
  ['a request, as app.use(rateLimit) does', new IncomingMessage(new Socket())],
  ['a context of Koa', Object.create({ url: '/' })],
  ['a context of Hono', Object.create({ req: {} })],
  ['a request of fetch', new Request('http://localhost/')],
  ['an instance that takes plugins, as of Fastify', { register() {} }],
])('options that are %s say how a middleware is made, whatever comes behind them', (_name, handed) => {
  const expected =
    'options: expected an object of options: write app.use(rateLimit({ policy: gcra({ … }) })), with the package of your framework, got an object'
  for (const more of [[], [() => {}], [{ send() {} }, () => {}]]) {
    expect(() => checkArguments(handed, more)).toThrow(expected)
    expect(() => guardRequest(handed as never, ...(more as []))).toThrow(expected)
  }
})
