import type { Check } from '@sluice/core'
import { type MemoryStore, partsOf } from '@sluice/core/internal'
import { readStored, writeStored } from '@sluice/state/internal'
import { type Forms, formOfNumbers } from './forms.ts'

/** A key as a line: the name of the count, the form of the numbers that wrote it, the key, and its state as state stores write it. */
type Line = readonly [id: string, form: string, key: string, stored: string]

/** A line for each key that still matters. */
export function* linesOf({ keys, clock }: MemoryStore): Generator<string> {
  for (const table of keys.tables.values()) {
    for (let slot = 0; slot < table.slots; slot++) {
      const line = table.inUse(slot) ? lineOf(table, slot, clock.nowUs()) : undefined
      if (line !== undefined) yield line
    }
  }
}

function lineOf(
  table: ReturnType<MemoryStore['keys']['tableOf']>,
  slot: number,
  nowUs: number,
): string | undefined {
  const { definition, id } = table
  const key = table.keyAt(slot)
  const numbers = table.numbersAt(slot) as object // what a strategy made of its options
  const has = table.find(key) === slot
  const state = has ? table.storedAt(slot) : undefined
  const lifeUs = has ? Math.ceil(definition.idleUs(numbers, state, nowUs)) : 0
  const block = table.blocks.of(key, nowUs)
  const count = table.blocks.countOf(key, nowUs)
  if (lifeUs <= 0 && block === undefined && count === undefined) return undefined
  const lifeEndUs = lifeUs > 0 ? nowUs + lifeUs : 0
  const stored = writeStored(definition, { state, lifeEndUs, era: '', block, count })
  return JSON.stringify([id, formOfNumbers(definition, numbers), key, stored] satisfies Line)
}

/** Reads a line of a file into the counts. Throws if it is none. */
export function takeLine({ keys, clock }: MemoryStore, text: string, forms: Forms): void {
  const [id, form, key, stored] = JSON.parse(text) as Line // the file is as it was written
  const policy = forms.policyOf(form)
  const check: Check = { id, policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
  const nowUs = clock.nowUs()
  const { numbers } = partsOf(policy)
  const table = keys.tableOf(check)
  const { state, block, count } = readStored(table.definition, stored, nowUs)
  if (state !== undefined) keys.save({ check, numbers, table, slot: -1, nowUs }, state)
  // A key whose blocks are still counted needs a place, with a block or without.
  if (block !== undefined || count !== undefined)
    keys.block(check, block ?? { untilUs: nowUs, byHand: false, banned: false }, nowUs)
  if (count !== undefined && table.slotOf(key) >= 0) table.blocks.count(key, count)
}
