import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import { guardRequest, guardUpgrade, mergeUpstream } from '../src/index.ts'
import { exchangeOf } from './exchange.ts'

it.each([guardRequest, guardUpgrade])(
  '%p refuses a store beside its options, as it would not be used',
  (make) => {
    const asInJavaScript = make as (...given: readonly unknown[]) => unknown
    expect(() => asInJavaScript({ policy: fixedWindow({ limit: 5, window: '1m' }) }, memoryStore())).toThrow(
      'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
    )
  },
)

it.each([
  [[], 'request: expected an object, got undefined'],
  [['bob', {}], 'request: expected an object, got "bob" (string)'],
  [[{}], 'headers: expected an object, got undefined'],
  [[{}, null], 'headers: expected an object, got null'],
])('mergeUpstream says which argument is wrong of %j', (given, message) => {
  const asInJavaScript = mergeUpstream as (...given: readonly unknown[]) => unknown
  expect(() => asInJavaScript(...given)).toThrow(message)
})

it('guardRequest as a middleware of a framework answers with 500 and says why, as the request would hang otherwise', async () => {
  const lines: string[] = []
  const logger = { warn: (line: string) => void lines.push(line), error() {} }
  const limit = guardRequest({ policy: fixedWindow({ limit: 5, window: '1m' }), logger })
  const asMiddleware = limit as (...given: readonly unknown[]) => Promise<boolean>
  const { request, raw } = exchangeOf({}, new IncomingMessage(new Socket()))
  expect(await asMiddleware(request, raw, () => {})).toBe(false)
  expect(raw.statusCode).toBe(500)
  expect(lines).toEqual([
    expect.stringContaining(
      'SLUICE_REQUEST_FAILED: answered with 500: next: expected nothing, as guardRequest is no middleware: frameworks have packages of their own',
    ),
  ])
})
