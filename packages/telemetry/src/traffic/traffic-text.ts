import { isRecord } from '@sluice/core/internal'
import { longestText } from '../sink.ts'
import type { Entry } from './key-sample.ts'

/** An entry of one policy, from one process. */
export interface TrafficEntry extends Entry {
  readonly limiter: string
  readonly policy: string
}

const fieldsOfItem = 4

/** The text of an entry. `process` keeps equal entries of two processes apart: a sink stores equal texts once. */
export function textOf(
  { limiter, policy, fromSlot, halvings, items }: TrafficEntry,
  process: string,
): string {
  const numbers = items.flatMap(({ hash, slot, requests, units }) => [hash, slot - fromSlot, requests, units])
  return JSON.stringify({ limiter, policy, process, fromSlot, halvings, items: numbers })
}

/** An entry as texts that a sink stores whole: several where units of many digits make it too long for one. */
export function textsOf(entry: TrafficEntry, process: string): readonly string[] {
  const { items } = entry
  const text = textOf(entry, process)
  const half = Math.ceil(items.length / 2)
  if (text.length <= longestText || half === items.length) return [text]
  const halves = [items.slice(0, half), items.slice(half)]
  return halves.flatMap((each) => textsOf({ ...entry, items: each }, process))
}

/** Reads what `textOf` has written; undefined for texts of another version or another program. */
export function entryOf(text: string): TrafficEntry | undefined {
  const value = parsed(text)
  if (!isRecord(value)) return undefined
  const { limiter, policy, fromSlot, halvings, items } = value
  if (typeof limiter !== 'string' || typeof policy !== 'string') return undefined
  if (!isCount(fromSlot) || !isCount(halvings) || !isNumbers(items)) return undefined
  return { limiter, policy, fromSlot, halvings, items: itemsOf(items, fromSlot) }
}

function itemsOf(numbers: readonly number[], fromSlot: number): Entry['items'] {
  return Array.from({ length: Math.floor(numbers.length / fieldsOfItem) }, (_, i) => {
    const [hash = 0, slot = 0, requests = 0, units = 0] = numbers.slice(i * fieldsOfItem)
    return { hash, slot: fromSlot + slot, requests, units }
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number' && each >= 0)
}
