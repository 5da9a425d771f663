import { describe, expect, it } from '@jest/globals'
import { ipKeyGenerator } from '../../src/express-rate-limit/index.ts'

describe('ipKeyGenerator', () => {
  // biome-ignore format: a table
  it.each<[ip: string, bits: number | false | undefined, key: string]>([
    ['192.0.2.1',                   undefined, '192.0.2.1'],
    ['192.0.2.1',                   64,        '192.0.2.1'],
    ['::ffff:192.0.2.1',            undefined, '192.0.2.1'],
    ['::ffff:c000:201',             undefined, '192.0.2.1'],
    ['::ffff:c000:201',             false,     '192.0.2.1'],
    ['::192.0.2.1',                 undefined, '192.0.2.1'],
    ['::1',                         undefined, '::/56'],
    ['2001:db8::192.0.2.1',         undefined, '2001:db8::/56'],
    ['2001:DB8:0:12ff::1',          undefined, '2001:db8:0:1200::/56'],
    ['2001:db8:0:12ff::1',          60,        '2001:db8:0:12f0::/60'],
    ['2001:db8:0:12ff::1',          128,       '2001:db8:0:12ff::1/128'],
    ['2001:db8:0:12ff::1',          false,     '2001:db8:0:12ff::1'],
    ['no address',                  undefined, 'no address'],
  ])('%s of %p bits is %s', (ip, bits, key) => {
    expect(ipKeyGenerator(ip, bits)).toBe(key)
  })
})
