import { givingBack, isRefused } from '../all-or-nothing.ts'
import type {
  Change,
  Check,
  HeldLease,
  InLine,
  LinePlace,
  Question,
  Renewal,
  StoreRow,
  StoreRows,
  Warning,
} from '../store.ts'
import { isInFlight } from '../strategies/policy-parts.ts'
import { withSteps } from '../up-to.ts'
import { Deadlines } from '../waiting/deadlines.ts'
import type { PendingQuestion } from './batches.ts'
import type { Calls } from './calls.ts'
import { isTooWide } from './client-errors.ts'
import type { Pending } from './server-deadlines.ts'
import { eachAlone, type Group, groupBySlot, oneSlotOf, place, type StateKeyOf } from './slot.ts'
import { shadowsLast, upToBySlot } from './up-to-by-slot.ts'

/**
 * Decides what does not fit into one call: question by question, one slot after another, and key by key while a slot moves. All or
 * nothing holds over several calls by giving back.
 */
export class BySlot {
  readonly #calls: Calls
  readonly #warned: (warning: Warning) => void
  readonly #keyOf: StateKeyOf
  readonly #deadlines: Deadlines | undefined

  constructor(calls: Calls, warned: (warning: Warning) => void) {
    this.#calls = calls
    this.#warned = warned
    this.#keyOf = (check) => calls.keyOf(check)
    if (calls.deadlineUs > 0) this.#deadlines = new Deadlines('redis', calls.deadlineUs / 1000)
  }

  put(asked: PendingQuestion): void {
    const { question, waiting } = asked
    const slot = oneSlotOf(question.checks, this.#keyOf)
    if (slot === undefined) {
      this.decide(question, asked).then(
        (rows) => waiting.answered(rows),
        (error: unknown) => waiting.failed(error),
      )
    } else {
      this.#calls.batches.put(asked, slot)
    }
  }

  /** One call for each slot; a failure in one does not stop the others. */
  async adjust(changes: readonly Change[]): Promise<void> {
    const groups = groupBySlot(
      changes.map(({ check }) => check),
      this.#keyOf,
    )
    const parts = groups.map(({ places }) => changes.filter((_, i) => places.includes(i)))
    await Promise.all(parts.map((part) => this.#adjustSlot(part)))
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    return this.#eachSlot(held, (part) => this.#calls.renew(part))
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    return this.#eachSlot(callers, (part) => this.#calls.line(part))
  }

  /** One call for each slot; if one fails, the outcome of all is unknown. */
  async #eachSlot<Each extends { readonly check: Check }, Answer>(
    all: readonly Each[],
    ask: (part: readonly Each[]) => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]> {
    const groups = groupBySlot(
      all.map(({ check }) => check),
      this.#keyOf,
    )
    const answers = new Array<Answer>(all.length)
    const askSlot = async (group: Group) => {
      const part = group.places.flatMap((at) => all[at] ?? [])
      try {
        place(answers, group, await ask(part))
      } catch (error) {
        if (part.length === 1 || !isTooWide(error)) throw error
        place(answers, group, (await Promise.all(part.map((each) => ask([each])))).flat())
      }
    }
    await Promise.all(groups.map(askSlot))
    return answers
  }

  stop(): void {
    this.#deadlines?.stop()
  }

  async #adjustSlot(changes: readonly Change[]): Promise<void> {
    try {
      await this.#calls.adjust(changes)
    } catch (error) {
      if (!isTooWide(error)) throw error
      await Promise.all(
        changes.map((change) => this.#calls.adjust([{ ...change, check: oneKeyOf(change.check) }])),
      )
    }
  }

  /** What one call cannot. */
  async decide(question: Question, pending: Pending): Promise<StoreRows> {
    const { take, charge, others } = question
    const matters = take && others === undefined
    if (matters && charge === 'every-level' && question.checks.some(isInFlight))
      return this.#inFlightLast(question, pending)
    const slots = groupBySlot(question.checks, this.#keyOf)
    const groups = slots.length > 1 ? slots : eachAlone(question.checks, this.#keyOf)
    // One call could not decide the keys of one slot, which is moving: each goes alone, and no block is counted meanwhile.
    const alone = slots.length === 1
    const asked = { question, groups: alone ? groups.map(withOneKey) : groups, pending, alone }
    if (question.upTo !== undefined) return this.#upTo(asked, question.upTo)
    return matters && charge === 'all-or-nothing' ? this.#inTurn(asked) : this.#atOnce(asked)
  }

  /** Every level charges separately; then, if none has refused, the places in flight are taken, all or none. */
  async #inFlightLast(question: Question, pending: Pending): Promise<StoreRows> {
    const rows: StoreRow[] = new Array(question.checks.length)
    const [last, first] = [partOf(question, isInFlight), partOf(question, (check) => !isInFlight(check))]
    if (first.checks.length > 0)
      place(rows, first, await this.#decidePart({ ...first, others: 'unknown' }, pending))
    const others = isRefused(question.checks, rows) ? 'refused' : undefined
    try {
      place(rows, last, await this.#decidePart({ ...last, charge: 'all-or-nothing', others }, pending))
    } catch (error) {
      void this.#giveBack(question.checks, rows)
      throw error
    }
    return asOneAnswer(question.checks, rows)
  }

  #decidePart(question: Question, pending: Pending): Promise<StoreRows> {
    const slot = oneSlotOf(question.checks, this.#keyOf)
    return slot === undefined ? this.decide(question, pending) : this.#ask(question, { pending, slot })
  }

  /** Each takes before the next is asked; where one refuses or fails, those before it are given back. */
  async #inTurn(asked: SplitQuestion): Promise<StoreRows> {
    const { question, groups } = asked
    const rows: StoreRow[] = new Array(question.checks.length)
    for (const [nth, group] of groups.entries()) {
      try {
        place(rows, group, await this.#askGroup(asked, group))
      } catch (error) {
        void this.#giveBack(question.checks, rows)
        throw error
      }
      if (isRefused(question.checks, rows)) return this.#refused(asked, rows, nth)
    }
    return rows
  }

  async #upTo(split: SplitQuestion, steps: number): Promise<StoreRows> {
    const { question } = split
    const groups = shadowsLast(split.groups)
    const asked = { ...split, groups }
    const rows: StoreRow[] = new Array(question.checks.length)
    try {
      return await upToBySlot(
        { question, groups, steps },
        {
          ask: (part, { slot }) => this.#ask(part, { ...asked, slot: asked.alone ? undefined : slot }),
          correct: (changes) => this.#correct(changes),
          refused: (taken, nth) => this.#refused(forOneStep(asked, steps), taken, nth),
        },
        rows,
      )
    } catch (error) {
      void this.#giveBack(question.checks, rows)
      throw error
    }
  }

  /**
   * A refused question has taken nothing. The others are asked as such: of those given back only that can show how they stand, as
   * what has drained meanwhile, or others have taken, is not to be computed from a row.
   */
  async #refused(asked: SplitQuestion, rows: StoreRow[], refusing: number): Promise<StoreRows> {
    const { question, groups } = asked
    const givenBack = this.#giveBack(question.checks, rows)
    const askAnother = async (group: Group, nth: number) => {
      if (nth === refusing) return
      if (nth < refusing) await givenBack
      place(rows, group, await this.#askGroup(asked, group, 'refused'))
    }
    await Promise.all(groups.map(askAnother))
    return rows
  }

  /** Each slot charges or takes nothing, independent of the others. */
  async #atOnce(asked: SplitQuestion): Promise<StoreRows> {
    const { question, groups } = asked
    const { others = 'unknown' } = question
    const rows: StoreRow[] = new Array(question.checks.length)
    const answers = await Promise.allSettled(
      groups.map(async (group) => {
        place(rows, group, await this.#askGroup(asked, group, others))
      }),
    )
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) {
      void this.#giveBack(question.checks, rows)
      throw failed.reason
    }
    return question.others === undefined ? asOneAnswer(question.checks, rows) : rows
  }

  #askGroup(
    { question, pending, alone }: SplitQuestion,
    { checks, slot }: Group,
    others = question.others,
  ): Promise<StoreRows> {
    return this.#ask({ ...question, checks, others }, { pending, slot: alone ? undefined : slot })
  }

  /** Within the deadline: what a later reply shows to have taken is given back. `slot` left out: by a call of its own. */
  #ask(
    part: Question,
    { pending, slot }: { pending: Pending; slot: number | undefined },
  ): Promise<StoreRows> {
    const answer = this.#calls.batches.ask(part, pending, slot)
    return this.#deadlines?.bound(answer, (late) => void this.#giveBack(part.checks, late)) ?? answer
  }

  /** Never rejects: its caller does not wait for it. */
  async #giveBack(checks: readonly Check[], rows: readonly (StoreRow | undefined)[]): Promise<void> {
    const changes = givingBack(checks, rows)
    if (changes.length > 0) await this.#correct(changes)
  }

  /** The same. */
  async #correct(changes: readonly Change[]): Promise<void> {
    try {
      const given = this.adjust(changes)
      await (this.#deadlines?.bound(given) ?? given)
    } catch (error) {
      this.#warned({
        code: 'SLUICE_NOT_GIVEN_BACK',
        message: `what a refused or failed request had taken stays taken until it expires: ${String(error)}`,
      })
    }
  }
}

function oneKeyOf(check: Check): Check {
  return { ...check, oneKey: true }
}

function withOneKey(group: Group): Group {
  return { ...group, checks: group.checks.map(oneKeyOf) }
}

/** A question that several calls decide. */
interface SplitQuestion {
  readonly question: Question
  readonly groups: readonly Group[]
  readonly pending: Pending
  /** Each group by a call of its own. */
  readonly alone: boolean
}

function forOneStep(asked: SplitQuestion, steps: number): SplitQuestion {
  const one = (check: Check) => withSteps(check, 0, steps)
  const { question, groups } = asked
  return {
    ...asked,
    question: { ...question, checks: question.checks.map(one), upTo: undefined },
    groups: groups.map((group) => ({ ...group, checks: group.checks.map(one) })),
  }
}

/** Some of a question's checks, and their places in the question. */
function partOf(question: Question, belongs: (check: Check) => boolean): Question & { places: number[] } {
  const places = question.checks.flatMap((check, i) => (belongs(check) ? [i] : []))
  return { ...question, checks: question.checks.filter(belongs), places }
}

/** The wait after a charge matters only when the whole question is refused. */
function asOneAnswer(checks: readonly Check[], rows: readonly StoreRow[]): StoreRows {
  if (isRefused(checks, rows)) return rows
  return rows.map((row) => (row.allowed && row.retryAfterUs !== 0 ? { ...row, retryAfterUs: 0 } : row))
}
