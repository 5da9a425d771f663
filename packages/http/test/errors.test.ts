import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { fixedWindow } from '@sluice/core'
import { asError } from '../src/as-error.ts'
import { createGate, type Gate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import { bringFields } from '../src/refusal.ts'
import { exchangeOf } from './exchange.ts'

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
