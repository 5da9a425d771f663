import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Key, notApplicable } from '../../src/index.ts'
import { realStore } from './real-store.ts'

const { store, client } = realStore()
const { store: prefixed, client: other } = realStore('mine:')
afterAll(() => {
  client.disconnect()
  other.disconnect()
})

const mark = randomBytes(4).toString('hex')
const five = fixedWindow({ limit: 5, window: '1h' })

// biome-ignore format: a table
const awkward: readonly (readonly [what: string, key: Key])[] = [
  // what                            key
  ['braces around another’s tag',    '{bob}'],
  ['an opening brace',               '{'],
  ['a closing brace first',          '}{'],
  ['a delimiter',                    'a,b'],
  ['the same as two members',        ['a', 'b']],
  ['the delimiter of names',         'a:b'],
  ['the same as two members',        ['a:', 'b']],
  ['an escape',                      '%7bbob%7d'],
  ['a line break',                   'a\r\nb'],
  ['a NUL',                          'a\0b'],
  ['half a pair of surrogates',      '\ud800'],
  ['the other half',                 '\udc00'],
  ['another half',                   '\ud801'],
  ['a whole pair',                   '\u{1f405}'],
  ['a name that objects have',       '__proto__'],
  ['another such name',              'constructor'],
  ['64 KiB',                         'x'.repeat(65_536)],
  ['64 KiB and one',                 'x'.repeat(65_537)],
  ['an address',                     '2001:db8::1'],
  ['empty members',                  ['', '']],
]

describe('keys on a server', () => {
  it('never meet, and never choose another’s slot', async () => {
    const name = `keys ${mark}`
    const limiter = createLimiter({ name, store, policy: five })
    for (const [what, key] of awkward) {
      const { allowed, remaining } = await limiter.check(key)
      expect({ what, allowed, remaining }).toEqual({ what, allowed: true, remaining: 4 })
    }
    const stored = await client.keys(`sl3:*:keys ${mark}:fw`)
    expect(stored).toHaveLength(awkward.length)
    // The first pair of braces is what a cluster hashes: it is the key, all of it and nothing else.
    for (const each of stored) expect(each).toMatch(/^sl3:\{[^{}\p{Cc}]{1,200}\}:keys [0-9a-f]{8}:fw$/u)
  })

  it('lie in the slot of their leading members where a tag says so, and never meet either', async () => {
    const name = `tagged ${mark}`
    const limiter = createLimiter({ name, store, policy: five, tag: 1 })
    for (const key of [['org', 'alice'], ['org', 'bob'], ['org,alice'], 'org', ['o{r}g', 'a:b', 'c']]) {
      const { allowed, remaining } = await limiter.check(key)
      expect({ key, allowed, remaining }).toEqual({ key, allowed: true, remaining: 4 })
    }
    expect((await client.keys(`sl3:*:${name}:fw`)).sort()).toEqual([
      `sl3:{o%7br%7dg}:a:b,c}:${name}:fw`,
      `sl3:{org%2calice}:${name}:fw`,
      `sl3:{org}:alice}:${name}:fw`,
      `sl3:{org}:bob}:${name}:fw`,
      `sl3:{org}:${name}:fw`,
    ])
  })

  // biome-ignore format: a table
  it.each([
    // one limiter  its policy     another      its policy
    ['login',       'ip',          'browse',    'ip'],
    ['login',       'ip',          'login:ip',  'fw'],
    ['a:b',         'c',           'a',         'b:c'],
    ['{a}',         'b',           '%7ba%7d',   'b'],
    ['\ud800',      'b',           '\ud801',    'b'],
  ])('of limiters %j %j and %j %j never meet', async (name, policy, otherName, otherPolicy) => {
    const one = createLimiter({ name, store, policies: { [policy]: five } })
    const other = createLimiter({ name: otherName, store, policies: { [otherPolicy]: five } })
    const key = randomBytes(6).toString('hex')
    await one.check(key, { cost: 5 })
    expect((await other.peek(key)).remaining).toBe(5)
    expect((await one.peek(key)).allowed).toBe(false)
  })

  it('of one limiter’s two policies never meet, nor those of two strategies', async () => {
    const limiter = createLimiter({ name: `two ${mark}`, store, policies: { a: five, b: five } })
    await limiter.check({ a: 'bob', b: notApplicable }, { cost: 5 })
    expect((await limiter.peek({ a: notApplicable, b: 'bob' })).remaining).toBe(5)
  })

  it('stand behind their prefix', async () => {
    const limiter = createLimiter({ name: `prefix ${mark}`, store: prefixed, policy: five })
    await limiter.check('bob')
    expect(await client.exists(`mine:sl3:{bob}:prefix ${mark}:fw`)).toBe(1)
  })
})
