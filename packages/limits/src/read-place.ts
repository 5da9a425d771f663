import { isSeq } from 'yaml'
import type { Entry, LimitsDocument, Part } from './document.ts'
import { readFields } from './fields.ts'
import { readName, readTruth } from './scalars.ts'
import type { Match } from './tree.ts'
import { quoted } from './words.ts'

const always = ['limits', 'children', 'patterns', 'shared'] as const
/** Fields of `match: end` alone: they choose between the places where a request's paths end. Along a path several places apply. */
const atEnd = ['name', 'replaces', 'quota'] as const
const hints = {
  along: 'there are limits, children, patterns and shared; names stand below children',
  end: 'there are limits, children, patterns, shared, name, replaces and quota; names stand below children',
} as const

/** The fields of a place. */
export interface PlaceFields {
  readonly limits: Part | undefined
  readonly children: Part | undefined
  readonly patterns: Part | undefined
  readonly shared: boolean
  readonly name: string | undefined
  readonly replaces: readonly string[]
  readonly quota: boolean
}

/** `open`: the place stands for more than one name. */
export function readPlace(
  document: LimitsDocument,
  part: Part,
  { match, open }: { match: Match; open: boolean },
): PlaceFields {
  const names = match === 'end' ? [...always, ...atEnd] : always
  const fields = readFields(document, part, { names, hint: hints[match] })
  const { shared, name, replaces, quota } = fields
  return {
    limits: fields.limits,
    children: fields.children,
    patterns: fields.patterns,
    shared: shared !== undefined && readShared(document, shared, open),
    name: name && readName(document, name),
    replaces: replaces === undefined ? [] : readReplaced(document, replaces),
    quota: quota !== undefined && readTruth(document, quota) === true,
  }
}

function readShared(document: LimitsDocument, part: Part, open: boolean): boolean {
  const shared = readTruth(document, part) === true
  if (shared && !open)
    document.note(part, 'it left out, as only names of a pattern or of "*" can share a count')
  return shared
}

function readReplaced(document: LimitsDocument, part: Part): readonly string[] {
  if (!isSeq(part.node)) return document.note(part, 'a list of names of places') ?? []
  return part.node.items.flatMap(
    (item, i) => readName(document, document.part(item, part, `${part.path}[${i}]`)) ?? [],
  )
}

/** Checks the patterns below one place: each must be a pattern, and none may have the name of a child. */
export function checkPatterns(
  document: LimitsDocument,
  patterns: ReadonlyMap<string, Entry>,
  children: ReadonlyMap<string, Entry>,
): void {
  for (const { name, key } of patterns.values()) {
    if (!name.includes('*')) document.note(key, 'a name with "*" in it (others stand below children)')
    else if (name === '*') document.note(key, 'more than "*", which stands below children')
    else if (children.has(name))
      document.note(key, 'patterns and children of different names', `both ${quoted(name)}`)
  }
}
