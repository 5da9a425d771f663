import { isMap, isScalar, isSeq } from 'yaml'
import type { Entry, LimitsDocument, Part } from './document.ts'
import { policyShape, readPolicy } from './read-policy.ts'
import { readChoice } from './scalars.ts'
import { joinPattern, type Level } from './tree.ts'
import { quoted } from './words.ts'

/** What the limits of a place do: they are added to those met so far, or lift them, or refuse. */
export type Limits =
  | { readonly effect: 'add'; readonly levels: readonly Level[] }
  | { readonly effect: 'unlimited' | 'deny' }

/** A place in the tree, as its levels tell it. */
export interface Place {
  readonly pattern: string
  readonly depth: number
  /** What stands below it: a policy of such a name would be the same level. */
  readonly children: ReadonlyMap<string, Entry>
}

const words = ['unlimited', 'deny'] as const
const shape = `${policyShape}, several by name, "unlimited" or "deny"`

/** undefined, with problems noted, where there are none. */
export function readLimits(document: LimitsDocument, part: Part, place: Place): Limits | undefined {
  const { node } = part
  if (isScalar(node) && typeof node.value === 'string') {
    const effect = readChoice(document, part, words)
    return effect && { effect }
  }
  if (isMap(node) && node.items.length > 0)
    return { effect: 'add', levels: readMapping(document, part, place) }
  if (isSeq(node)) return { effect: 'add', levels: readLevel(document, part, place) }
  return document.note(part, shape)
}

/** One policy, or several by name. */
function readMapping(document: LimitsDocument, part: Part, place: Place): readonly Level[] {
  const entries = [...document.entries(part).values()]
  if (isOnePolicy(entries)) return readLevel(document, part, place)
  return entries.flatMap(({ name, key, value }) => {
    if (place.children.has(name))
      document.note(key, 'policies and children of different names', `both ${quoted(name)}`)
    return readLevel(document, value, { ...place, pattern: joinPattern(place.pattern, name) })
  })
}

/** Named policies are mappings or lists themselves. What holds neither is one policy, though its strategy may be missing. */
function isOnePolicy(entries: readonly Entry[]): boolean {
  const holds = ({ value: { node } }: Entry) => isMap(node) || isSeq(node)
  return entries.some((entry) => entry.name === 'strategy' && !holds(entry)) || !entries.some(holds)
}

function readLevel(document: LimitsDocument, part: Part, { pattern, depth }: Place): readonly Level[] {
  const read = readPolicy(document, part)
  return read === undefined ? [] : [{ name: pattern, depth, ...read }]
}
