import { describe, expect, it } from '@jest/globals'
import { viewOf } from '../../src/http/view.ts'
import { AddressWarnings } from '../../src/http/warnings.ts'
import { exchangeOf } from './exchange.ts'

describe('AddressWarnings', () => {
  // biome-ignore format: a table
  it.each([
    // ip           peer          X-Forwarded-For            believes all  codes
    ['10.0.0.1',    '10.0.0.1',   undefined,                 false,        []],
    ['10.0.0.1',    '10.0.0.1',   '',                        false,        []],
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
    const warnings = new AddressWarnings((code) => warned.push(code))
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const { facts } = exchangeOf({ ip, peer, trustsAll, headers })
    for (let i = 0; i < 2; i++) warnings.look(viewOf(facts, 64), facts)
    // Each once.
    expect(warned).toEqual(codes)
  })
})
