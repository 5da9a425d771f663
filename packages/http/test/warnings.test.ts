import { describe, expect, it } from '@jest/globals'
import { fixedWindow, type Limiter, memoryStore } from '@sluice/core'
import { createGate } from '../src/gate.ts'
import { handleRequest } from '../src/handle.ts'
import { AddressWarnings, viewOf } from '../src/request-view.ts'
import { exchangeOf } from './exchange.ts'

describe('AddressWarnings', () => {
  // biome-ignore format: a table
  it.each([
    // ip           peer          X-Forwarded-For            believes all  codes
    ['10.0.0.1',    '10.0.0.1',   undefined,                 false,        []],
    ['10.0.0.1',    '10.0.0.1',   '',                        false,        []],
    // A proxy that is trusted, and has named nobody.
    ['10.0.0.1',    '10.0.0.1',   ', ,,',                    false,        []],
    ['10.0.0.1',    '10.0.0.1',   '192.0.2.1',               false,        ['SLUICE_PROXY_UNTRUSTED']],
    ['192.0.2.1',   '10.0.0.1',   '192.0.2.1',               false,        []],
    // A client on the proxy's own machine.
    ['127.0.0.1',   '127.0.0.1',  '127.0.0.1',               false,        []],
    ['garbage',     '10.0.0.1',   'garbage',                 false,        []],
    ['192.0.2.1',   '10.0.0.1',   '192.0.2.1',               true,         ['SLUICE_TRUST_ALL']],
    [undefined,     undefined,    undefined,                 false,        ['SLUICE_NO_ADDRESS']],
    [undefined,     undefined,    '192.0.2.1',               false,        ['SLUICE_NO_ADDRESS', 'SLUICE_PROXY_UNTRUSTED']],
    ['192.0.2.1',   undefined,    '192.0.2.1',               false,        []],
  ])('ip %p from %p, forwarded %p, believes all: %p', (ip, peer, forwarded, trustsAll, codes) => {
    const warned: string[] = []
    const warnings = new AddressWarnings({ warned: ({ code }) => void warned.push(code) })
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const { facts } = exchangeOf({ ip, peer, trustsAll, headers })
    warnings.look(viewOf(facts, 64), facts)
    expect(warned).toEqual(codes)
  })

  /** The messages about a request from 10.0.0.1 with these fields. */
  function said(
    headers: Readonly<Record<string, string | readonly string[]>>,
    from: string | null = '10.0.0.1',
  ) {
    const peer = from ?? undefined
    const messages: string[] = []
    const warnings = new AddressWarnings({ warned: ({ message }) => void messages.push(message) })
    const { facts } = exchangeOf({ ip: peer, peer, headers })
    warnings.look(viewOf(facts, 64), facts)
    return messages
  }

  // biome-ignore format: a table
  it.each<[Readonly<Record<string, string | readonly string[]>>, string | undefined]>([
    // fields                                                     which one the warning names
    [{ forwarded: 'for=192.0.2.1' },                              'Forwarded'],
    [{ 'x-real-ip': '192.0.2.1' },                                'X-Real-IP'],
    [{ 'x-real-ip': ['192.0.2.1', '192.0.2.2'] },                 'X-Real-IP'],
    [{ 'cf-connecting-ip': '192.0.2.1' },                         'CF-Connecting-IP'],
    [{ host: 'zoo', accept: '*/*', 'x-forwarded-proto': 'https' }, 'X-Forwarded-Proto'],
    [{ 'x-forwarded-for': '', 'x-forwarded-host': 'zoo' },        'X-Forwarded-Host'],
    [{ 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' }, 'X-Forwarded-For'],
    // A client on the proxy's own machine.
    [{ 'x-forwarded-for': '10.0.0.1', 'x-forwarded-proto': 'https', 'x-real-ip': '10.0.0.1' }, undefined],
    [{ 'x-real-ip': '10.0.0.1' },                                 undefined],
    // The server itself writes the others, as that of Next.js does.
    [{ 'x-forwarded-for': '10.0.0.1', 'x-forwarded-host': 'zoo', 'x-real-ip': '192.0.2.1' }, 'X-Real-IP'],
    [{ host: 'zoo', via: '1.1 zoo', 'x-request-id': '7', origin: 'https://zoo', constructor: 'x' }, undefined],
  ])('of %p names %p, and nothing that a client has written', (headers, field) => {
    const messages = said(headers)
    expect(messages).toHaveLength(field === undefined ? 0 : 1)
    expect(messages.join()).toContain(field ?? '')
    expect(messages.join()).not.toContain('192.0.2')
  })

  it('of a request without an address speaks of those for which no key is found, and of GraphQL in Nest alone', () => {
    const [message] = said({}, null)
    expect(message).toContain('for which the option key finds none')
    expect(message).toContain('in GraphQL of Nest let the context function of GraphQLModule')
  })

  it('are short enough for one line of a log', () => {
    for (const headers of [{ host: 'zoo' }, {}, { host: 'zoo', 'x-forwarded-for': '192.0.2.1' }])
      for (const message of said(headers, null)) expect(message.length).toBeLessThan(900)
  })

  it('name all that may be behind a missing address, whether the request has fields or, as one that a test makes, none', () => {
    for (const headers of [{}, { host: 'zoo' }]) {
      const [message] = said(headers, null)
      for (const cause of ['unix socket', 'where ip is your function', 'GraphQL'])
        expect(message).toContain(cause)
    }
  })
})

it('what is wrong with addresses is logged once for all limiters that share a logger, and each of them and its observers know it', async () => {
  const lines: string[] = []
  const heard: string[] = []
  const loggerOf = (name: string) => ({
    warn: (line: string) => void lines.push(`${name} ${/SLUICE_\w+/.exec(line)}`),
    error() {},
  })
  const shared = loggerOf('shared')
  const own = loggerOf('own')
  const policy = fixedWindow({ limit: 2, window: '10s' })
  const observers = [{ warned: ({ code }: { code: string }) => void heard.push(code) }]
  const gates = [shared, own, shared, own, shared].map((logger, i) =>
    createGate<object>({ name: `route ${i}`, policy, store: memoryStore(), logger, observers }),
  )
  const forwarded = { 'x-forwarded-for': '192.0.2.1' }
  for (const gate of gates.flatMap((each) => [each, each])) {
    await handleRequest(gate, exchangeOf({ ip: undefined, peer: undefined }))
    await handleRequest(gate, exchangeOf({ trustsAll: true }))
    await handleRequest(gate, exchangeOf({ ip: '10.0.0.1', peer: '10.0.0.1', headers: forwarded }))
  }
  const codes = ['SLUICE_NO_ADDRESS', 'SLUICE_TRUST_ALL', 'SLUICE_PROXY_UNTRUSTED']
  expect(lines).toEqual(['shared', 'own'].flatMap((name) => codes.map((code) => `${name} ${code}`)))
  expect(heard).toEqual(gates.flatMap(() => codes))
  expect(gates.map(({ limiter }) => (limiter as Limiter).health().warnings)).toEqual(gates.map(() => codes))
})
