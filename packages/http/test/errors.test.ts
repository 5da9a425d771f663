import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { asError } from '../src/as-error.ts'
import { createGate, type Gate } from '../src/gate.ts'
import { guardRequest } from '../src/guard-request.ts'
import { handleRequest } from '../src/handle.ts'
import { bringFields } from '../src/refusal.ts'
import { exchangeOf } from './exchange.ts'

const fail = () => {
  throw new Error('not to be read')
}

const unreadable: readonly [string, () => unknown][] = [
  ['a Proxy', () => new Proxy(new Error('x'), { get: fail, has: fail, getPrototypeOf: fail })],
  [
    'a Proxy that was revoked',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    },
  ],
  [
    'an error without a message that can be read',
    () => Object.defineProperty(new Error(), 'message', { get: fail }),
  ],
  [
    'an error without a code that can be read',
    () => Object.defineProperty(new Error(), 'code', { get: fail }),
  ],
]

describe('asError', () => {
  it('leaves errors as they are, those of other realms too', () => {
    for (const error of [new TypeError('mine'), runInNewContext('new Error("theirs")')])
      expect(asError(error)).toBe(error)
  })

  it('makes an error of everything else, with the cause', () => {
    for (const thrown of [undefined, null, 'route', 200, {}, Object.create(null), Symbol('x')]) {
      const error = asError(thrown)
      expect([Object.prototype.toString.call(error), error.cause]).toEqual(['[object Error]', thrown])
    }
  })

  it.each(unreadable)('makes an error that can be read of %s', (_what, make) => {
    const error = asError(make())
    expect(error.message).toMatch(/^a rate limit's function threw (an object|Error)$/)
    expect(error.cause).toBeUndefined()
  })
})

/** A limiter's functions may throw these: its server answers, and no rejection is left. */
describe('guardRequest, where a function throws what cannot be read', () => {
  it.each(unreadable)('answers with 500 and warns: %s', async (_what, make) => {
    const warnings: string[] = []
    const guard = guardRequest({
      policy: fixedWindow({ limit: 9, window: '10s' }),
      key: () => {
        throw make()
      },
      observers: [{ warned: ({ code }) => void warnings.push(code) }],
      logger: { warn: () => {}, error: () => {} },
    })
    const passed: boolean[] = []
    const server = createServer((request, response) => {
      guard(request, response).then(
        (passes) => passed.push(passes),
        () => response.destroy(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { status } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // it listens
    await new Promise((resolve) => server.close(resolve))
    expect([status, warnings, passed]).toEqual([500, ['SLUICE_REQUEST_FAILED'], [false]])
  })
})

describe('bringFields', () => {
  let gate: Gate<object>
  beforeEach(() => {
    gate = createGate({ policy: fixedWindow({ limit: 9, window: '10s' }) })
  })

  async function limited(): Promise<object> {
    const exchange = exchangeOf()
    await handleRequest(gate, exchange)
    return exchange.request
  }

  function leftOf(error: Error): unknown {
    return (error as { headers?: { [name: string]: string } }).headers?.['x-ratelimit-remaining']
  }

  it("puts a request's fields beside an error's own headers", async () => {
    const error = Object.assign(new Error('later'), {
      headers: { 'retry-after': '30', 'x-ratelimit-limit': 'mine' },
    })
    bringFields(error, await limited())
    expect(error.headers).toEqual({
      'retry-after': '30',
      'x-ratelimit-limit': 'mine',
      'x-ratelimit-remaining': '8',
      'x-ratelimit-reset': '10',
    })
  })

  it('gives one error that is thrown for many requests the fields of each', async () => {
    const error: Error & { headers?: object } = new Error('shared')
    bringFields(error, await limited())
    const first = leftOf(error)
    bringFields(error, await limited())
    expect([first, leftOf(error)]).toEqual(['8', '7'])
    error.headers = { etag: 'x' }
    bringFields(error, await limited())
    expect(error.headers).toMatchObject({ etag: 'x', 'x-ratelimit-remaining': '6' })
  })

  it('leaves alone what is no error or cannot be changed', async () => {
    const request = await limited()
    const frozen = Object.freeze(new Error('frozen'))
    for (const thrown of [undefined, 'text', {}, frozen]) bringFields(thrown, request)
    expect('headers' in frozen).toBe(false)
  })
})
