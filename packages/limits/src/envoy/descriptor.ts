import { isMap, isSeq } from 'yaml'
import type { LimitsDocument, Part } from '../document.ts'
import { readFields } from '../fields.ts'
import { quoted } from '../words.ts'
import { isNothing, type RateLimit, readRateLimit } from './rate-limit.ts'
import { readSwitch, readText } from './scalars.ts'

export interface Descriptor {
  readonly key: string
  /** Empty: any value. */
  readonly value: string
  readonly limit: RateLimit | undefined
  readonly shadow: boolean
  readonly quota: boolean
  /** Whether all values that match its pattern share one count. */
  readonly shared: boolean
  readonly below: readonly Descriptor[]
}

/** The descriptors that stand beside each other, by key and value. */
export type Descriptors = Map<string, Descriptor>

const names = [
  'key',
  'value',
  'rate_limit',
  'descriptors',
  'shadow_mode',
  'quota_mode',
  'share_threshold',
  'detailed_metric',
  'value_to_metric',
  'metadata',
] as const
const hint = `there are ${names.join(', ')}`
/** The deepest nesting of descriptors: as deep as the most entries of a request. */
const mostDeep = 60

/** Adds the descriptors of a part to `into`. */
export function readDescriptors(
  document: LimitsDocument,
  part: Part | undefined,
  { into, depth }: { into: Descriptors; depth: number },
): void {
  for (const each of itemsOf(document, part, depth)) {
    const descriptor = readDescriptor(document, each, depth)
    if (descriptor === undefined) continue
    const { key, value } = descriptor
    const id = JSON.stringify([key, value])
    if (into.has(id))
      document.note(
        each,
        'each key and value once',
        `${quoted(value === '' ? key : `${key} = ${value}`)} again`,
      )
    into.set(id, descriptor)
  }
}

function itemsOf(document: LimitsDocument, part: Part | undefined, depth: number): readonly Part[] {
  if (part === undefined || isNothing(part)) return []
  if (!isSeq(part.node)) return document.note(part, 'a list of descriptors') ?? []
  if (depth > mostDeep)
    return document.note(part, `at most ${mostDeep} descriptors, one below the other`, 'more') ?? []
  return part.node.items.map((item, i) => document.part(item, part, `${part.path}[${i}]`))
}

function readDescriptor(document: LimitsDocument, part: Part, depth: number): Descriptor | undefined {
  if (!isMap(part.node)) return document.note(part, 'a descriptor such as { key: user, rate_limit: … }')
  const fields = readFields(document, part, { names, hint })
  const key = readText(document, fields.key)
  if (key === '') return document.note(fields.key ?? part, 'a key', 'none')
  if (key.includes('*')) return document.note(fields.key ?? part, 'a key without "*", which values may have')
  const value = readText(document, fields.value)
  const shared = readSwitch(document, fields.share_threshold)
  if (shared && !value.includes('*'))
    document.note(fields.share_threshold ?? part, 'it with a value that has "*" in it')
  // Our metrics go by descriptor, never by values that a client sends: these two fields are checked, and have no effect.
  for (const metric of [fields.detailed_metric, fields.value_to_metric]) readSwitch(document, metric)
  const below: Descriptors = new Map()
  readDescriptors(document, fields.descriptors, { into: below, depth: depth + 1 })
  return {
    key,
    value,
    limit: readRateLimit(document, fields.rate_limit),
    shadow: readSwitch(document, fields.shadow_mode),
    quota: readSwitch(document, fields.quota_mode),
    shared,
    below: [...below.values()],
  }
}
