import { isOptionError } from '@sluice/core'
import { catalogue, realClock } from '@sluice/core/internal'
import { type Entry, mostEntries, readEntry } from '@sluice/http/internal'
import { isMap, isScalar, isSeq } from 'yaml'
import { LimitsDocument, type Part } from './document.ts'
import { readFields } from './fields.ts'
import { limitsError } from './problem.ts'

const names = ['list', 'address', 'key', 'limiter', 'until', 'why', 'by'] as const
const hint = 'there are list, address, key, limiter, until, why and by'
const longestMs = 366 * 86_400_000
/** The entries of a text that have not ended. Throws a LimitsError with all problems at once. */
export function readListsText(text: string, file?: string): readonly Entry[] {
  const document = LimitsDocument.ofText(text, file)
  const entries = document.problems.length > 0 ? [] : readRoot(document)
  if (document.problems.length > 0) throw limitsError(document.problems)
  return entries
}

function readRoot(document: LimitsDocument): readonly Entry[] {
  const { root } = document
  const shape = 'a mapping with `lists`, the list of entries'
  const { lists } = isMap(root.node)
    ? readFields(document, root, { names: ['lists'], hint: 'there is lists' })
    : {}
  if (lists === undefined) {
    if (document.problems.length === 0)
      document.note(root, shape, isMap(root.node) ? 'one without' : undefined)
    return []
  }
  const { node } = lists
  // With nothing behind `lists:` there are no entries, as when the last one was taken out.
  if (node === null || (isScalar(node) && node.value === null)) return []
  if (!isSeq(node)) return document.note(lists, 'a list of entries') ?? []
  if (node.items.length > mostEntries)
    return document.note(lists, `at most ${mostEntries} entries`, `${node.items.length}`) ?? []
  return node.items.flatMap((item, i) => readOne(document, document.part(item, lists, `lists[${i}]`)) ?? [])
}

/** undefined for an entry that has ended or is not valid. */
function readOne(document: LimitsDocument, part: Part): Entry | undefined {
  if (!isMap(part.node))
    return document.note(part, 'an entry such as { list: deny, address: 203.0.113.0/24, until: … }')
  const fields = readFields(document, part, { names, hint })
  const { until } = fields
  const nowMs = Date.now()
  const endMs =
    until === undefined
      ? document.note(part, 'until, as every entry has an end', 'none')
      : endOf(document, until, nowMs)
  try {
    const entry = readEntry(
      {
        list: textOf(fields.list),
        address: textOf(fields.address),
        key: keyOf(document, fields.key),
        limiter: textOf(fields.limiter),
      },
      '',
    )
    if (endMs === undefined || endMs <= nowMs) return undefined
    return { ...entry, endsAtUs: realClock.nowUs() + (endMs - nowMs) * 1000 }
  } catch (error) {
    if (!isOptionError(error)) throw error
    const at = fields[error.path as (typeof names)[number]] // of readEntry, whose paths are names
    if (at !== undefined) return document.note(at, error.expected)
    return document.note(
      part,
      fields.list === undefined ? `list, as ${error.expected}` : error.expected,
      'none',
    )
  }
}

function endOf(document: LimitsDocument, part: Part, nowMs: number): number | undefined {
  const text = textOf(part)
  const ms = typeof text === 'string' ? catalogue.instantMs(text) : Number.NaN
  if (Number.isNaN(ms)) return document.note(part, 'an instant with its zone, such as 2026-12-01T09:00Z')
  return ms - nowMs <= longestMs ? ms : document.note(part, 'an end within 366 days')
}

/** A scalar as it is written; a number too, as it may be a key or a name. */
function textOf(part: Part | undefined): unknown {
  if (part === undefined) return undefined
  const { node } = part
  if (!isScalar(node)) return null
  return node.value === null ? null : (node.source ?? String(node.value))
}

function keyOf(document: LimitsDocument, part: Part | undefined): unknown {
  if (part === undefined || !isSeq(part.node)) return textOf(part)
  return part.node.items.map((item, i) => textOf(document.part(item, part, `${part.path}[${i}]`)))
}
