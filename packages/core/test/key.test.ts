import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { encodeKey, type Key } from '../src/key.ts'
import { keys, meaning } from './keys.ts'

describe('the name of a key', () => {
  it('is that of no other key', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(encodeKey(a) === encodeKey(b)).toBe(meaning(a) === meaning(b))
      }),
      { numRuns: 20_000 },
    )
  })

  it('has nothing in it that means something where names are stored', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const name = encodeKey(key)
        expect(name).not.toBe('')
        expect(name.length).toBeLessThanOrEqual(200)
        expect(Buffer.from(name).toString()).toBe(name)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
        expect(name).not.toMatch(/[{}\u0000-\u001f\u007f]/)
      }),
      { numRuns: 5000 },
    )
  })

  // biome-ignore format: a table
  it.each<[Key, string]>([
    // key                       name
    ['bob',                      'bob'],
    ['user:42',                  'user:42'],
    ['2001:db8::1',              '2001:db8::1'],
    ['GET /zoo',                 'GET /zoo'],
    ['a,b',                      'a%2cb'],
    [['a', 'b'],                 'a,b'],
    [['a,b'],                    'a%2cb'],
    [['a:', 'b'],                'a:,b'],
    [['a', ':b'],                'a,:b'],
    [['2001:db8::/64', 'bob'],   '2001:db8::/64,bob'],
    ['{x}',                      '%7bx%7d'],
    ['%7bx%7d',                  '%257bx%257d'],
    ['a\nb\0',                   'a%0ab%00'],
    ['\ud83d\ude00',             '\u{1f600}'],
    ['\ud83d',                   '%d83d'],
    ['\ude00\ud83d',             '%de00%d83d'],
    ['__proto__',                '__proto__'],
    [7,                          '7'],
    ['7',                        '7'],
    [7n,                         '7'],
    [-0,                         '0'],
    [[7, 'a', 8n],               '7,a,8'],
    [[1e21, -0.5],               '1e+21,-0.5'],
    [['', ''],                   ','],
    [['', '', 'a', ''],          ',,a,'],
    ['x'.repeat(200),            'x'.repeat(200)],
  ])('of %j is %s', (key, name) => {
    expect(encodeKey(key)).toBe(name)
  })

  it('is short and its own for keys of 64 KiB', () => {
    const long = 'x'.repeat(65_536)
    const names = [long, `${long}y`, `y${long}`, [long], [long, ''], ['', long]].map((key) => encodeKey(key))
    expect(names.every((name) => name.length === 34)).toBe(true)
    expect(new Set(names).size).toBe(5)
  })

  it('is its own for long keys that differ only in how they would be escaped, joined or hashed', () => {
    const [a, b] = ['a'.repeat(150), 'b'.repeat(150)]
    const same: Key[][] = [
      ['{'.repeat(70)],
      ['%7b'.repeat(70)],
      ['{'.repeat(210)],
      ['%7b'.repeat(210)],
      [`${a},${b}`],
      [`${a}%2c${b}`],
      [[a, b]],
      [[b, a]],
      [[`${a}b`, b.slice(1)]],
      [[a, b, '']],
      [['', a, b]],
      [`150,150:${a}${b}`],
      [`300:${a}${b}`],
      [`${a}${b}`, [`${a}${b}`]],
      ['\ud800'.repeat(201)],
      ['\ud801'.repeat(201)],
      ['\ufffd'.repeat(201)],
      [['\ud83d'.repeat(101), '\ude00'.repeat(101)]],
      [`${'\ud83d'.repeat(100)}\ud83d\ude00${'\ude00'.repeat(100)}`],
      [10n ** 250n, `1${'0'.repeat(250)}`, [10n ** 250n]],
    ]
    for (const tag of [1, undefined]) {
      const names = same.map((keys) => new Set(keys.map((key) => encodeKey(key, tag))))
      expect(names.map(({ size }) => size)).toEqual(same.map(() => 1))
      expect(new Set(names.flatMap((each) => [...each])).size).toBe(same.length)
    }
  })

  it('is that of no other key under any tag, and its slot is chosen by the leading members alone', () => {
    const tagged = fc.record({ tag: fc.integer({ min: 1, max: 3 }), a: keys, b: keys })
    fc.assert(
      fc.property(tagged, ({ tag, a, b }) => {
        const [first, second] = [encodeKey(a, tag), encodeKey(b, tag)]
        expect(first === second).toBe(meaning(a) === meaning(b))
        const leads = (key: Key) => meaning(Array.isArray(key) ? key.slice(0, tag) : key)
        expect(first.split('}')[0] === second.split('}')[0]).toBe(leads(a) === leads(b))
        expect(first.startsWith('}')).toBe(false)
      }),
      { numRuns: 20_000 },
    )
  })

  // biome-ignore format: a table
  it.each<[Key, number, string]>([
    // key                                tag  name
    [['user', 'alex', 'trade'],            2,  'user,alex}:trade'],
    [['user', 'alex'],                     2,  'user,alex'],
    [['user'],                             2,  'user'],
    [['user', 'alex', 'trade', 'fast'],    1,  'user}:alex,trade,fast'],
    [['a}', '{b'],                         1,  'a%7d}:%7bb'],
    [['a:b', ':c'],                        1,  'a:b}::c'],
    [['', 'b'],                            1,  '%}:b'],
    [['a', ''],                            1,  'a}:'],
    ['a:b',                                1,  'a:b'],
    [['x'.repeat(200), 'y'.repeat(200)],   1,  `${'x'.repeat(200)}}:${'y'.repeat(200)}`],
  ])('of %j with a tag of %i is %s', (key, tag, name) => {
    expect(encodeKey(key, tag)).toBe(name)
  })

  // biome-ignore format: a table
  it.each([
    // no key          what was got
    ['',               '"" (string)'],
    [[''],             'a list of 1'],
    [[],               'a list of 0'],
    [undefined,        'undefined'],
    [null,             'null'],
    [Number.NaN,       'NaN (number)'],
    [true,             'true (boolean)'],
    [{ user: 'bob' },  'an object'],
    [['bob', null],    'null'],
    [[['bob']],        'a list of 1'],
  ])('is none for %j', (key, got) => {
    expect(() => encodeKey(key as Key)).toThrow(TypeError)
    expect(() => encodeKey(key as Key)).toThrow(got)
  })
})
