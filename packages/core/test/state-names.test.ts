import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { checkOf, laneOf } from '../src/decision/lane.ts'
import { fixedWindow, type Key } from '../src/index.ts'
import { stateKey } from '../src/key.ts'
import { slotOf } from '../src/redis/slot.ts'
import { keys, meaning } from './keys.ts'

const policy = fixedWindow({ limit: 1, window: '1s' })
const runs = { numRuns: 20_000 }

interface Counted {
  readonly limiter: string
  readonly policy: string
  readonly key: Key
  /** undefined: all members. */
  readonly tag: number | undefined
}

/** As a store spells it, by way of a limiter's lane. */
function nameOf({ limiter, policy: name, key, tag }: Counted, prefix = ''): string {
  const settings = { name: limiter, shadow: undefined, onStoreFailure: undefined, tag: undefined }
  const lane = laneOf(settings, { name, policy, tag })
  const { key: spelled, id } = checkOf(lane, { key, cost: 1, note: undefined, policy: undefined })
  return stateKey(`${prefix}sl3:`, { key: spelled, id })
}

function unescaped(text: string): string {
  return text.replace(/%(d[89a-f]..|..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function membersOf(spelled: string): readonly string[] {
  return spelled.split(',').map(unescaped)
}

function tagOf(name: string): string {
  return name.slice(name.indexOf('{') + 1, name.indexOf('}'))
}

/** Reads a name back, as docs/inside.md says that it is made. */
function read(name: string): unknown {
  const tag = tagOf(name)
  const end = name.lastIndexOf('}')
  const rest = end === name.indexOf('}') ? [] : membersOf(name.slice(name.indexOf('}') + 2, end))
  const parts = name.slice(end + 2).split(':')
  const code = parts.pop()
  const [limiter = 'default', policyName = 'default'] = parts
  const lead = tag === '%' ? [''] : membersOf(tag)
  return { key: [...lead, ...rest], limiter: unescaped(limiter), policy: unescaped(policyName), code }
}

const letters = fc.constantFrom('a', ':', ',', '%', '{', '}', '%%', '2', 'c', '\0', '\n', '\ud83d', '\ude00')
const texts = fc.array(letters, { maxLength: 5 }).map((parts) => parts.join(''))
const words = texts.filter((text) => text !== '')
const names = fc.oneof({ weight: 3, arbitrary: words }, fc.constant('default'))
const tags = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
const nastyKeys: fc.Arbitrary<Key> = fc.oneof(
  words,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: -9n, max: 10n ** 20n }),
  fc.array(fc.oneof(texts, fc.integer()), { minLength: 2, maxLength: 4 }),
)
const nasty: fc.Arbitrary<Counted> = fc.record({ limiter: names, policy: names, key: nastyKeys, tag: tags })
const others: fc.Arbitrary<Counted> = fc.record({ limiter: names, policy: names, key: keys, tag: tags })

/** The members that choose the slot, of a key that has more. */
function leadOf({ key, tag }: Counted): Key {
  return Array.isArray(key) ? key.slice(0, tag) : key
}

describe('the name of a state', () => {
  it('says which key of which limiter and policy it is: it can be read back', () => {
    const property = fc.property(nasty, (counted) => {
      const { limiter, policy: name, key } = counted
      const members = (Array.isArray(key) ? key : [key]).map(String)
      expect(read(nameOf(counted))).toEqual({ key: members, limiter, policy: name, code: 'fw' })
    })
    fc.assert(property, runs)
  })

  it('is that of no other, long ones too', () => {
    const property = fc.property(others, others, (a, b) => {
      const [one, other] = [a, b].map((counted) => nameOf({ ...counted, tag: a.tag }))
      const same = a.limiter === b.limiter && a.policy === b.policy && meaning(a.key) === meaning(b.key)
      expect(one === other).toBe(same)
    })
    fc.assert(property, runs)
  })

  it('lies in the slot that the leading members choose, whatever else is in it', () => {
    const prefixes = fc.constantFrom('', 'shop:', ':', '%')
    const property = fc.property(fc.oneof(nasty, others), prefixes, (counted, prefix) => {
      const name = nameOf(counted, prefix)
      const tag = tagOf(name)
      const lead = leadOf(counted)
      const expected = meaning(lead) === '[""]' ? '%' : tagOf(nameOf({ ...counted, key: lead, limiter: 'x' }))
      expect(tag).toBe(expected)
      expect(slotOf(name)).toBe(slotOf(tag))
    })
    fc.assert(property, runs)
  })

  it('has the tag of no other leading members', () => {
    const property = fc.property(others, others, (a, b) => {
      expect(tagOf(nameOf(a)) === tagOf(nameOf(b))).toBe(meaning(leadOf(a)) === meaning(leadOf(b)))
    })
    fc.assert(property, runs)
  })
})
