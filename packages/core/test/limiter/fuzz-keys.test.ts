import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import { createLimiter, fixedWindow, type Key, memoryStore } from '../../src/index.ts'
import { encodeKey } from '../../src/key.ts'
import { keys, meaning } from '../keys.ts'

const policy = fixedWindow({ limit: 2, window: '10s' })
const runs = { numRuns: 500 }
const tags = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })

function store() {
  return memoryStore({ clock: manualClock() })
}

// Texts that are near each other as they are joined: what is cut in one place is one text in another.
const cut = fc.array(fc.constantFrom('a', 'b', ',', ':', '%', '%2c', '{', '}', '', '\ud83d'), {
  minLength: 2,
  maxLength: 4,
})
const pairs = fc.oneof(
  fc.tuple(keys, keys),
  fc.tuple(cut, fc.integer({ min: 1, max: 3 })).map(([parts, at]): [Key, Key] => {
    return [parts, [parts.slice(0, at).join(','), ...parts.slice(at)]]
  }),
)

describe('two keys of one limiter', () => {
  it('share a count where they are one key, and nowhere else, whatever the tag', async () => {
    const property = fc.asyncProperty(pairs, tags, async ([a, b], tag) => {
      fc.pre(![a, b].some((key) => meaning(key) === '[""]'))
      const limiter = createLimiter({ policy, store: store(), tag })
      await limiter.check(a)
      expect((await limiter.peek(b)).remaining).toBe(meaning(a) === meaning(b) ? 1 : 2)
    })
    await fc.assert(property, runs)
  })

  it('have names of bounded length with nothing in them that means something where names are stored', () => {
    const longer = fc.tuple(
      fc.array(
        keys.filter((key) => !Array.isArray(key)),
        { minLength: 1, maxLength: 8 },
      ),
      fc.integer({ min: 1, max: 999 }),
    )
    const long = longer.map(([members, times]) => members.map((member) => String(member).repeat(times)))
    const property = fc.property(fc.oneof(keys, long), tags, (key: Key, tag) => {
      const name = encodeKey(key, tag)
      expect(name.length).toBeLessThanOrEqual(402)
      // One closing brace, and only where a tag ends.
      expect(name.split('}').length - 1).toBe(
        Array.isArray(key) && tag !== undefined && key.length > tag ? 1 : 0,
      )
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(name).not.toMatch(/[{\u0000-\u001f\u007f]/)
      expect(Buffer.from(name).toString()).toBe(name)
    })
    fc.assert(property, runs)
  })
})

describe('one key', () => {
  const letters = fc.constantFrom('a', ':', ',', '%', '{', '}', '3', 'a', '\ud83d', '\ude00', '\n')
  const names = fc.oneof(
    fc.array(letters, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }).filter((name) => name !== '__proto__'),
  )
  const place = fc.record({ limiter: names, policy: names })
  // As they are joined: `a:b` and `c`, `a` and `b:c`.
  const near = fc.tuple(names, names, names).map(([a, b, c]) => {
    return [
      { limiter: `${a}:${b}`, policy: c },
      { limiter: a, policy: `${b}:${c}` },
    ] as const
  })
  const places = fc.oneof(fc.tuple(place, place), near)

  it('is counted by each limiter and policy apart, whatever they are called', async () => {
    const property = fc.asyncProperty(places, keys, async ([here, there], key) => {
      fc.pre(here.limiter !== there.limiter)
      const shared = store()
      const [one, other] = [here, there].map((place) =>
        createLimiter({ name: place.limiter, policies: { [place.policy]: policy }, store: shared }),
      )
      await one?.check(key)
      expect((await other?.peek(key))?.remaining).toBe(2)
    })
    await fc.assert(property, runs)
  })
})
