import type { Policy, StrategyDraft } from '@sluice/core'
import { type definitions, type onStates, partsOf } from '@sluice/core/internal'
import { fromJson, toJson } from './json.ts'

/** The data that the database keeps of a key. */
export interface Stored {
  readonly state: unknown
  /** When the state's life is over; 0: there is no state. */
  readonly lifeEndUs: number
  /** Identifies the count of the key: a key that is counted anew gets another era. */
  readonly era: string
  readonly block: onStates.Block | undefined
  readonly count: ReturnType<onStates.Blocks['countOf']>
}

const nothing: Stored = {
  state: undefined,
  lifeEndUs: 0,
  era: '',

  block: undefined,
  count: undefined,
}

/**
 * Writes `[lifeEndUs, state]`, and behind them `blockEndUs, byHand` if the key is blocked, and `banned, times, countEndUs` if its blocks
 * are counted. A state of numbers only is written as these numbers with `era` behind them; any other as `[state, era]`.
 */
export function writeStored(
  { packed }: definitions.AnyStrategy,
  { state, lifeEndUs, era, block, count }: Stored,
): string {
  const written = lifeEndUs === 0 ? null : packed === undefined ? [state, era] : numbersOf(packed, state, era)
  const list: unknown[] = [lifeEndUs, written]
  if (block !== undefined || count !== undefined) list.push(block?.untilUs ?? 0, block?.byHand === true)
  if (count !== undefined) list.push(block?.banned === true, count.times, count.untilUs)
  return toJson(list)
}

/** The numbers of a state and its era; the rest that few states have beside their numbers comes last. */
function numbersOf(
  packed: NonNullable<definitions.AnyStrategy['packed']>,
  state: unknown,
  era: string,
): readonly unknown[] {
  const values = new Float64Array(packed.width)
  packed.save(values, 0, state)
  const rest = packed.rest?.of(state)
  return rest === undefined ? [...values, era] : [...values, era, rest]
}

/**
 * Reads a key without the parts that are over by now. Throws if no strategy has written the text: the key cannot be counted, but the
 * store is well.
 */
export function readStored({ packed }: definitions.AnyStrategy, text: string | null, nowUs: number): Stored {
  if (text === null) return nothing
  const [lifeEndUs, written, blockEndUs = 0, byHand, banned, times = 0, countEndUs = 0] = listOf(text)
  if (!isInstant(lifeEndUs) || !isInstant(blockEndUs)) throw foreign()
  if (!isInstant(times) || !isInstant(countEndUs)) throw foreign()
  const lives = lifeEndUs > nowUs
  return {
    ...(lives ? countOf(packed, written) : { state: undefined, era: '' }),
    lifeEndUs: lives ? lifeEndUs : 0,
    block:
      blockEndUs > nowUs
        ? { untilUs: blockEndUs, byHand: byHand === true, banned: banned === true }
        : undefined,
    count: countEndUs > nowUs ? { times, untilUs: countEndUs } : undefined,
  }
}

function countOf(packed: definitions.AnyStrategy['packed'], written: unknown): Pick<Stored, 'state' | 'era'> {
  const width = packed?.width ?? 1
  if (!Array.isArray(written) || written.length <= width || written.length > width + 2) throw foreign()
  const era: unknown = written[width]
  if (typeof era !== 'string') throw foreign()
  if (packed === undefined) return { state: written[0], era }
  const state: unknown = packed.blank()
  packed.load(Float64Array.from(written.slice(0, width)), 0, state)
  packed.rest?.into(state, written[width + 1])
  return { state, era }
}

function listOf(text: string): readonly unknown[] {
  try {
    const list = fromJson(text)
    if (Array.isArray(list)) return list
  } catch {
    // Not JSON: the error is thrown below.
  }
  throw foreign()
}

function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function foreign(): Error {
  return new Error('SLUICE a key holds what no strategy wrote')
}

/** Why a policy's states cannot be written; undefined: they can. */
export function whyNotStorable(policy: Policy): string | undefined {
  const { definition, numbers } = partsOf(policy)
  const nowUs = 0
  const draft: StrategyDraft = definition.look(numbers, undefined, nowUs, 1)
  const state: unknown = definition.take(undefined, draft, { nowUs, id: '', note: '' })
  try {
    writeStored(definition, { ...nothing, state, lifeEndUs: 1 })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
