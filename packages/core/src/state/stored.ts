import type { Block, BlockCount } from '../memory/blocks.ts'
import type { Policy } from '../policy.ts'
import { type AnyStrategy, partsOf, type StrategyDraft } from '../strategies/definition.ts'
import { fromJson, toJson } from './json.ts'

/** What the database keeps of a key. */
export interface Stored {
  readonly state: unknown
  /** When the state's life is over; 0: there is no state. */
  readonly lifeEndUs: number
  /** Which count of the key it is, where it was reset or set; else ''. */
  readonly era: string
  /** Until when that matters. */
  readonly eraEndUs: number
  readonly block: Block | undefined
  readonly count: BlockCount | undefined
}

const nothing: Stored = {
  state: undefined,
  lifeEndUs: 0,
  era: '',
  eraEndUs: 0,
  block: undefined,
  count: undefined,
}

/**
 * `[lifeEndUs, state]`, and behind them `blockEndUs, byHand` where the key is blocked, and `banned, times, countEndUs` where its blocks
 * are counted, and `era, eraEndUs` where it was reset or set. A state of numbers only is written as those.
 */
export function writeStored(
  { packed }: AnyStrategy,
  { state, lifeEndUs, era, eraEndUs, block, count }: Stored,
): string {
  const written = lifeEndUs === 0 ? null : packed === undefined ? state : numbersOf(packed, state)
  const list = [lifeEndUs, written]
  const isAnew = era !== ''
  if (block !== undefined || count !== undefined || isAnew)
    list.push(block?.untilUs ?? 0, block?.byHand === true)
  if (count !== undefined || isAnew) list.push(block?.banned === true, count?.times ?? 0, count?.untilUs ?? 0)
  if (isAnew) list.push(era, eraEndUs)
  return toJson(list)
}

/** What few states have beside their numbers stands behind them. */
function numbersOf(packed: NonNullable<AnyStrategy['packed']>, state: unknown): readonly unknown[] {
  const values = new Float64Array(packed.width)
  packed.save(values, 0, state)
  const rest = packed.rest?.of(state)
  return rest === undefined ? [...values] : [...values, rest]
}

/** What is over by now is not there. Throws where no strategy has written the text: the key cannot be counted, the store is well. */
export function readStored({ packed }: AnyStrategy, text: string | null, nowUs: number): Stored {
  if (text === null) return nothing
  const [lifeEndUs, written, blockEndUs = 0, byHand, banned, times = 0, countEndUs = 0, ...last] =
    listOf(text)
  const [era = '', eraEndUs = 0] = last
  if (!isInstant(lifeEndUs) || !isInstant(blockEndUs)) throw foreign()
  if (!isInstant(times) || !isInstant(countEndUs)) throw foreign()
  if (typeof era !== 'string' || !isInstant(eraEndUs)) throw foreign()
  const lives = lifeEndUs > nowUs
  return {
    state: !lives ? undefined : packed === undefined ? written : stateOf(packed, written),
    lifeEndUs: lives ? lifeEndUs : 0,
    era: eraEndUs > nowUs ? era : '',
    eraEndUs,
    block:
      blockEndUs > nowUs
        ? { untilUs: blockEndUs, byHand: byHand === true, banned: banned === true }
        : undefined,
    count: countEndUs > nowUs ? { times, untilUs: countEndUs } : undefined,
  }
}

function stateOf(packed: NonNullable<AnyStrategy['packed']>, written: unknown): unknown {
  const { width } = packed
  if (!Array.isArray(written) || written.length < width || written.length > width + 1) throw foreign()
  const state: unknown = packed.blank()
  packed.load(Float64Array.from(written.slice(0, width)), 0, state)
  packed.rest?.into(state, written[width])
  return state
}

function listOf(text: string): readonly unknown[] {
  try {
    const list = fromJson(text)
    if (Array.isArray(list)) return list
  } catch {
    // Not JSON: said below.
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
