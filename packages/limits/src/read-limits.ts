import { isMap, isScalar, isSeq } from 'yaml'
import type { Entry, LimitsDocument, Part } from './document.ts'
import { policyShape, readPolicy } from './read-policy.ts'
import { readChoice } from './scalars.ts'
import { joinPattern, type Level, type SharedNames } from './tree.ts'
import { quoted } from './words.ts'

/** The effect of a place's limits: they are added to those met so far, remove them, or refuse. */
export type Limits =
  | { readonly effect: 'add'; readonly levels: readonly Level[] }
  | { readonly effect: 'unlimited' | 'deny' }

/** A place in the tree, for its levels. */
export interface Place {
  readonly pattern: string
  readonly depth: number
  readonly shared: SharedNames
  /** The names below it, which its policies must not have. */
  readonly children: ReadonlyMap<string, Entry>
}

const words = ['unlimited', 'deny'] as const
const shape = `${policyShape}, several by name, "unlimited" or "deny"`

/** Returns undefined, with problems noted, if they are not valid. */
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

/** Named policies are mappings or lists. A mapping without any is one policy, even if its strategy is missing. */
function isOnePolicy(entries: readonly Entry[]): boolean {
  const holds = ({ value: { node } }: Entry) => isMap(node) || isSeq(node)
  return entries.some((entry) => entry.name === 'strategy' && !holds(entry)) || !entries.some(holds)
}

function readLevel(
  document: LimitsDocument,
  part: Part,
  { pattern, depth, shared }: Place,
): readonly Level[] {
  const read = readPolicy(document, part)
  if (read === undefined) return []
  return [{ name: pattern, depth, shared: shared.length === 0 ? undefined : shared, ...read }]
}
