import type {
  Change,
  Command,
  HeldLease,
  InLine,
  KeySnapshot,
  LinePlace,
  Question,
  Renewal,
  StoreRow,
  StoreRows,
} from '@sluice/core'
import { isRecord } from '@sluice/core/internal'
import type { Desk } from '../desk.ts'
import { garbled } from '../errors.ts'
import { anyQuestion, readQuestion, writeQuestion } from './questions.ts'
import { readRow, readRows, writeRow, writeRows } from './rows.ts'
import { listOf, type ReadSheet, type Sheet, textOf, wholeOf } from './sheet.ts'

/** A kind of call. Other calls than questions have its number as the first member of what is written. */
export interface Verb<Given, Answer> {
  readonly number: number
  /** Whether it may be done twice, with the effect of once. */
  readonly repeatable: boolean
  write(given: Given, sheet: Sheet): readonly unknown[]
  /** Reads what `write` has written, where the counts are. */
  read(written: readonly unknown[], sheet: ReadSheet): Given
  run(desk: Desk, given: Given): Answer
  writeAnswer(answer: Answer): unknown
  readAnswer(written: unknown, given: Given): Answer
}

function receiptOf(value: unknown): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw garbled('receipt')
}

/** undefined for null: JSON has no `undefined`. */
function given<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === null || value === undefined ? undefined : read(value)
}

const nothing = { writeAnswer: () => 0, readAnswer: () => undefined }

const adjust: Verb<readonly Change[], void> = {
  ...nothing,
  number: -2,
  repeatable: false,
  write: (changes, sheet) =>
    changes.map(({ check, receipt, byUnits, atLeastUs, reward }) => {
      return [sheet.write(check), receipt, byUnits, atLeastUs ?? null, reward === true]
    }),
  read: (written, sheet) =>
    written.map((each) => {
      const [check, receipt, byUnits, atLeastUs, reward] = listOf(each, 'correction')
      const raised = given(atLeastUs, (us) => wholeOf(us, 'wait'))
      return {
        check: sheet.check(check),
        receipt: given(receipt, receiptOf) ?? null,
        byUnits: wholeOf(byUnits, 'correction', Number.MIN_SAFE_INTEGER),
        ...(raised !== undefined && { atLeastUs: raised }),
        ...(reward === true && { reward }),
      }
    }),
  run: (desk, changes) => desk.adjust(changes),
}

const renewals: readonly Renewal[] = ['held', 'regained', 'lost']

const renew: Verb<readonly HeldLease[], readonly Renewal[]> = {
  number: -3,
  repeatable: true,
  write: (held, sheet) => held.map(({ check, receipt }) => [sheet.write(check), receipt]),
  read: (written, sheet) =>
    written.map((each) => {
      const [check, receipt] = listOf(each, 'lease')
      return { check: sheet.check(check), receipt: receiptOf(receipt) }
    }),
  run: (desk, held) => desk.renew(held),
  writeAnswer: (outcomes) => outcomes.map((outcome) => renewals.indexOf(outcome)),
  readAnswer: (written, held) => {
    const list = listOf(written, 'renewals')
    return held.map((_, i) => renewals[wholeOf(list[i], 'renewal')] ?? 'lost')
  },
}

const line: Verb<readonly InLine[], readonly LinePlace[]> = {
  number: -4,
  repeatable: true,
  write: (callers, sheet) =>
    callers.map(({ check, id, priority, waitedUs, leaves, stands }) => {
      return [sheet.write(check), id, priority, Math.round(waitedUs), leaves, stands === true]
    }),
  read: (written, sheet) =>
    written.map((each) => {
      const [check, id, priority, waitedUs, leaves, stands] = listOf(each, 'caller')
      return {
        check: sheet.check(check),
        id: textOf(id, 'caller'),
        priority: wholeOf(priority, 'priority', Number.MIN_SAFE_INTEGER),
        waitedUs: wholeOf(waitedUs, 'wait'),
        leaves: leaves === true,
        stands: stands === true,
      }
    }),
  run: (desk, callers) => desk.line(callers),
  writeAnswer: (places) =>
    places.map(({ row, waits }) => {
      const written: unknown[] = [waits]
      writeRow(row, written)
      return written
    }),
  readAnswer: (written, callers) => {
    const list = listOf(written, 'places')
    if (list.length !== callers.length) throw garbled('places')
    return callers.map(({ check }, i) => {
      const place = listOf(list[i], 'place')
      return { row: readRow(place, 1, check), waits: place[0] === true }
    })
  },
}

const ops: readonly Command['op'][] = ['block', 'unblock', 'reset', 'set', 'inspect']

const manage: Verb<Command, KeySnapshot | undefined> = {
  number: -5,
  repeatable: true,
  write: ({ op, check, us, later, units }, sheet) => {
    return [ops.indexOf(op), sheet.write(check), us ?? null, later === true, units ?? null]
  },
  read: ([op, check, us, later, units], sheet) => {
    const command = ops[wholeOf(op, 'command')]
    if (command === undefined) throw garbled('command')
    const [forUs, set] = [
      given(us, (us) => wholeOf(us, 'time')),
      given(units, (units) => wholeOf(units, 'units')),
    ]
    return {
      op: command,
      check: sheet.check(check),
      ...(forUs !== undefined && { us: forUs }),
      ...(later === true && { later }),
      ...(set !== undefined && { units: set }),
    }
  },
  run: (desk, command) => desk.manage(command),
  writeAnswer: (snapshot) => snapshot ?? null,
  readAnswer: (written, { op }) => {
    if (op !== 'inspect') return undefined
    if (!isSnapshot(written)) throw garbled('sight')
    return written
  },
}

function isSnapshot(value: unknown): value is KeySnapshot {
  return isRecord(value) && isRecord(value.row as StoreRow) && Array.isArray(value.entries)
}

/** Asks whether the counts are there. */
const ping: Verb<void, void> = {
  ...nothing,
  number: -6,
  repeatable: true,
  write: () => [],
  read: () => {},
  run: () => {},
}

export const verbs: {
  readonly adjust: typeof adjust
  readonly renew: typeof renew
  readonly line: typeof line
  readonly manage: typeof manage
  readonly ping: typeof ping
} = { adjust, renew, line, manage, ping }

const question: Verb<Question, StoreRows> = {
  number: anyQuestion,
  repeatable: true,
  write: writeQuestion,
  read: readQuestion,
  run: (desk, asked) => desk.answer(asked),
  writeAnswer: writeRows,
  readAnswer: (written, { checks }) => readRows(written, checks),
}

/** A question, as a verb. */
export const asking: Verb<unknown, unknown> = question as Verb<unknown, unknown> // what it reads it also runs

/** Verbs by their number. */
export const verbOf: ReadonlyMap<unknown, Verb<unknown, unknown>> = new Map(
  Object.values(verbs).map((verb) => [verb.number, verb as Verb<unknown, unknown>]), // what it reads it also runs
)
