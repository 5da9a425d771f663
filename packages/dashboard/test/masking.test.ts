import { describe, expect, test } from '@jest/globals'
import { memorySink, recorder } from '@sluice/telemetry'
import { dashboard } from '../src/index.ts'
import { KeyWords } from '../src/key-words.ts'
import { readSettings } from '../src/options.ts'

const secret = 'sixteen letters!'
const clients = Array.from({ length: 500 }, (_, i) => `client-${1000 + i}`)

describe('a masked key', () => {
  test('is told apart from all others with the same beginning, and is the same each time', () => {
    const words = new KeyWords(secret)
    const shown = clients.map((key) => words.key(key, true))
    expect(shown[0]).toMatch(/^client••••• #[0-9a-hjkmnp-tv-z]{6}$/)
    expect(new Set(shown).size).toBe(500)
    expect(clients.map((key) => words.key(key, true))).toEqual(shown)
    expect(words.key('client-1000', false)).toBe('client-1000')
  })

  test('has a mark that two processes agree on where they share a secret, and only there', () => {
    const [one, same, other, none] = [secret, secret, `${secret}!`, undefined].map((each) =>
      new KeyWords(each).key(['user', 'alex'], true),
    )
    expect(same).toBe(one)
    expect(new Set([one, other, none]).size).toBe(3)
  })

  test('has one mark for the whole path, and lists that read alike differ', () => {
    const words = new KeyWords(secret)
    expect(words.key(['user', 'alex'], true)).toMatch(/^us•• \/ al•• #\w{6}$/)
    expect(words.key(['user / alex'], true)).not.toBe(words.key('user / alex/', true))
    expect(words.note('alex', true).replace(/.*#/, '')).toBe(words.key('alex', true).replace(/.*#/, ''))
  })
})

describe('who sees keys masked', () => {
  // biome-ignore format: a table
  test.each([
    // maskKeys                              manager  looker
    [undefined,                               false,   true],
    [true,                                    true,    true],
    [false,                                   false,   false],
    [() => false,                             false,   false],
    [async () => true,                        true,    true],
    [() => { throw new Error('no session') }, true,    true],
    [() => Promise.reject(new Error('no')),   true,    true],
    [() => undefined as never,                true,    true],
    [() => 0 as never,                        true,    true],
  ])('%# is said by the program', async (maskKeys, manager, looker) => {
    const { masksFor } = readSettings({ recorder: recorder(memorySink()), maskKeys })
    expect([await masksFor({} as never, true), await masksFor({} as never, false)]).toEqual([manager, looker])
  })

  test.each(['', 'short', 5, null])('%p is no secret', (maskSecret) => {
    const make = () => dashboard({ recorder: recorder(memorySink()), maskSecret: maskSecret as never })
    expect(make).toThrow(/^maskSecret: expected a string of at least 16 characters, got /)
    if (maskSecret === 'short') expect(make).not.toThrow('short')
  })
})
