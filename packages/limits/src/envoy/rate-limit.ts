import { isMap, isScalar, isSeq } from 'yaml'
import type { LimitsDocument, Part } from '../document.ts'
import { readFields } from '../fields.ts'
import { readRequests, readSwitch, readText } from './scalars.ts'

/** `rate_limit` of a descriptor. */
export interface RateLimit {
  /** undefined: unlimited. */
  readonly window: string | undefined
  /** 0 refuses every request. */
  readonly requests: number
  readonly name: string
  readonly replaces: readonly string[]
}

/** Windows as envoyproxy/ratelimit counts them: a month has 30 days, a year 365, and windows begin at multiples of these since 1970. */
const windows: ReadonlyMap<string, string> = new Map([
  ['second', '1s'],
  ['minute', '1m'],
  ['hour', '1h'],
  ['day', '1d'],
  ['week', '7d'],
  ['month', '30d'],
  ['year', '365d'],
])
const names = ['unit', 'requests_per_unit', 'unlimited', 'name', 'replaces'] as const
const hint = `there are ${names.join(', ')}; all others stand beside rate_limit`

/** undefined if there is none. */
export function readRateLimit(document: LimitsDocument, part: Part | undefined): RateLimit | undefined {
  if (part === undefined || isNothing(part)) return undefined
  if (!isMap(part.node)) return document.note(part, 'a mapping with unit and requests_per_unit')
  const fields = readFields(document, part, { names, hint })
  const name = readText(document, fields.name)
  return {
    window: readWindow(document, part, fields),
    requests: readRequests(document, fields.requests_per_unit),
    name,
    replaces: readReplaces(document, fields.replaces, name),
  }
}

function readWindow(
  document: LimitsDocument,
  part: Part,
  { unit, unlimited }: { readonly unit?: Part; readonly unlimited?: Part },
): string | undefined {
  const text = readText(document, unit)
  if (readSwitch(document, unlimited))
    return text === '' ? undefined : document.note(unit ?? part, 'no unit beside unlimited')
  const window = windows.get(text.toLowerCase())
  return (
    window ??
    document.note(unit ?? part, `a unit: ${[...windows.keys()].join(', ')}`, text === '' ? 'none' : undefined)
  )
}

function readReplaces(document: LimitsDocument, part: Part | undefined, own: string): readonly string[] {
  if (part === undefined || isNothing(part)) return []
  if (!isSeq(part.node)) return document.note(part, 'a list of names such as [{ name: usual }]') ?? []
  return part.node.items.flatMap((item, i) => {
    const each = document.part(item, part, `${part.path}[${i}]`)
    if (!isMap(each.node)) return document.note(each, 'a name such as { name: usual }') ?? []
    const { name } = readFields(document, each, { names: ['name'], hint: 'there is name' })
    const text = readText(document, name)
    if (text === '') return document.note(name ?? each, 'the name of another limit', 'none') ?? []
    return text === own ? (document.note(name ?? each, 'the name of another limit') ?? []) : [text]
  })
}

export function isNothing({ node }: Part): boolean {
  return node === null || (isScalar(node) && node.value === null)
}
