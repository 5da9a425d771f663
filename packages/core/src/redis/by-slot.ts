import { givingBack, isRefused } from '../all-or-nothing.ts'
import { tellAsker } from '../answers.ts'
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

/**
 * Decides questions that do not fit into one call: slot by slot, and key by key while a slot moves. Over several calls, all or nothing
 * holds because units are given back.
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
    if (slot === undefined) tellAsker(waiting, this.decide(question, asked))
    else this.#calls.batches.put(asked, slot)
  }

  /** Adjusts by one call for each slot; a failure in one does not stop the others. */
  async adjust(changes: readonly Change[]): Promise<void> {
    const parts = this.#groupsOf(changes).map(({ places }) => changes.filter((_, i) => places.includes(i)))
    await Promise.all(parts.map((part) => this.#adjustSlot(part)))
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    return this.#eachSlot(held, (part) => this.#calls.renew(part))
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    return this.#eachSlot(callers, (part) => this.#calls.line(part))
  }

  /** Asks by one call for each slot; if one fails, the outcome of all is unknown. */
  async #eachSlot<Each extends { readonly check: Check }, Answer>(
    all: readonly Each[],
    ask: (part: readonly Each[]) => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]> {
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
    await Promise.all(this.#groupsOf(all).map(askSlot))
    return answers
  }

  #groupsOf(all: readonly { readonly check: Check }[]): readonly Group[] {
    const checks = all.map(({ check }) => check)
    return groupBySlot(checks, this.#keyOf)
  }

  stop(): void {
    this.#deadlines?.stop()
  }

  async #adjustSlot(changes: readonly Change[]): Promise<void> {
    try {
      await this.#calls.adjust(changes)
    } catch (error) {
      if (!isTooWide(error)) throw error
      const alone = changes.map((change) => ({ ...change, check: oneKeyOf(change.check) }))
      await Promise.all(alone.map((change) => this.#calls.adjust([change])))
    }
  }

  /** Decides a question that one call cannot decide. Where a call fails, what others have taken is given back. */
  async decide(question: Question, pending: Pending): Promise<StoreRows> {
    const rows: StoreRow[] = new Array(question.checks.length)
    try {
      return await this.#decide(question, pending, rows)
    } catch (error) {
      void this.#giveBack(question.checks, rows)
      throw error
    }
  }

  /** Fills `rows` call by call. */
  #decide(question: Question, pending: Pending, rows: StoreRow[]): Promise<StoreRows> {
    const { take, charge, others } = question
    const matters = take && others === undefined
    if (matters && charge === 'every-level' && question.checks.some(isInFlight))
      return this.#inFlightLast(question, pending, rows)
    const slots = groupBySlot(question.checks, this.#keyOf)
    const groups = slots.length > 1 ? slots : eachAlone(question.checks, this.#keyOf)
    // One call could not decide the keys of a single slot, so the slot is moving: each key goes alone, and no block is counted meanwhile.
    const alone = slots.length === 1
    const asked = { question, groups: alone ? groups.map(withOneKey) : groups, pending, alone }
    if (question.upTo !== undefined) return this.#upTo(asked, question.upTo, rows)
    return matters && charge === 'all-or-nothing' ? this.#inTurn(asked, rows) : this.#atOnce(asked, rows)
  }

  /** Every level charges separately; then, if none has refused, the places in flight are taken, all or none. */
  async #inFlightLast(question: Question, pending: Pending, rows: StoreRow[]): Promise<StoreRows> {
    const [last, first] = [partOf(question, isInFlight), partOf(question, (check) => !isInFlight(check))]
    if (first.checks.length > 0)
      place(rows, first, await this.#decidePart({ ...first, others: 'unknown' }, pending))
    const others = isRefused(question.checks, rows) ? 'refused' : undefined
    place(rows, last, await this.#decidePart({ ...last, charge: 'all-or-nothing', others }, pending))
    return asOneAnswer(question.checks, rows)
  }

  #decidePart(question: Question, pending: Pending): Promise<StoreRows> {
    const slot = oneSlotOf(question.checks, this.#keyOf)
    return slot === undefined ? this.decide(question, pending) : this.#ask(question, { pending, slot })
  }

  /** Each slot takes before the next is asked. Where one refuses, what those before it took is given back. */
  async #inTurn(asked: SplitQuestion, rows: StoreRow[]): Promise<StoreRows> {
    const { question, groups } = asked
    for (const [nth, group] of groups.entries()) {
      place(rows, group, await this.#askGroup(asked, group))
      if (isRefused(question.checks, rows)) return this.#refused(asked, rows, nth)
    }
    return rows
  }

  /** Slot after slot takes as many steps as those before it, or fewer. Each then gives back what exceeds the fewest. */
  async #upTo(split: SplitQuestion, steps: number, rows: StoreRow[]): Promise<StoreRows> {
    const asked = { ...split, groups: shadowsLast(split.groups) }
    const { question, groups } = asked
    let most = steps
    for (const [nth, group] of groups.entries()) {
      const checks = group.checks.map((check) => withSteps(check, most, steps))
      place(rows, group, await this.#askPart(asked, group, { ...question, checks, upTo: most }))
      if (isRefused(question.checks, rows)) return this.#refused(forOneStep(asked, steps), rows, nth)
      for (const [i, { cost, shadow }] of group.checks.entries()) {
        const { taken = 0 } = rows[group.places[i] ?? -1] ?? {}
        if (cost > 0 && !shadow) most = Math.min(most, taken / (cost / steps))
      }
    }
    for (const group of groups) await this.#giveRestBack(asked, group, { steps, most, rows })
    return rows
  }

  /** Gives back what a slot has taken beyond this many steps. */
  async #giveRestBack(
    asked: SplitQuestion,
    group: Group,
    { steps, most, rows }: { steps: number; most: number; rows: StoreRow[] },
  ): Promise<void> {
    const changes: Change[] = []
    for (const [i, check] of group.checks.entries()) {
      const at = group.places[i] ?? -1
      const row = rows[at]
      const keeps = withSteps(check, most, steps).cost
      const { taken = 0 } = row ?? {}
      if (row === undefined || taken <= keeps) continue
      changes.push({ check: { ...check, cost: taken }, receipt: row.receipt, byUnits: keeps - taken })
      rows[at] = { ...row, taken: keeps }
    }
    if (changes.length === 0) return
    await this.#correct(changes)
    // A row cannot say what has drained or what others have taken since: the keys are looked at again.
    const checks = group.checks.map((check) => ({ ...check, cost: 0 }))
    const look = { ...asked.question, checks, take: false, upTo: undefined }
    const looked = await this.#askPart(asked, group, look)
    for (const [i, at] of group.places.entries()) {
      const [row, now] = [rows[at], looked[i]]
      if (row === undefined || now === undefined) continue
      rows[at] = { ...row, remaining: now.remaining, resetAfterUs: now.resetAfterUs }
    }
  }

  /**
   * Gives back what a refused question took, and asks all slots but the refusing one as parts of a refused question. Slots that gave
   * back are asked again, as their rows cannot say what has drained or what others have taken since.
   */
  async #refused(asked: SplitQuestion, rows: StoreRow[], refusing: number): Promise<StoreRows> {
    const { question, groups } = asked
    const givenBack = this.#giveBack(question.checks, rows)
    // Should a later step fail, this must not be given back again.
    for (const [i, row] of rows.entries()) if (row !== undefined) rows[i] = { ...row, receipt: '' }
    const askAnother = async (group: Group, nth: number) => {
      if (nth === refusing) return
      if (nth < refusing) await givenBack
      place(rows, group, await this.#askGroup(asked, group, 'refused'))
    }
    await Promise.all(groups.map(askAnother))
    return rows
  }

  /** Asks all slots at once: each charges or takes nothing, independent of the others. */
  async #atOnce(asked: SplitQuestion, rows: StoreRow[]): Promise<StoreRows> {
    const { question, groups } = asked
    const { others = 'unknown' } = question
    const ask = async (group: Group) => place(rows, group, await this.#askGroup(asked, group, others))
    const answers = await Promise.allSettled(groups.map(ask))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return question.others === undefined ? asOneAnswer(question.checks, rows) : rows
  }

  #askGroup(asked: SplitQuestion, group: Group, others = asked.question.others): Promise<StoreRows> {
    return this.#askPart(asked, group, { ...asked.question, checks: group.checks, others })
  }

  #askPart({ pending, alone }: SplitQuestion, { slot }: Group, part: Question): Promise<StoreRows> {
    return this.#ask(part, { pending, slot: alone ? undefined : slot })
  }

  /** Asks within the deadline; what a later reply has taken is given back. `slot` left out: by a call of its own. */
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

  /** Never rejects: a failure becomes a warning. */
  async #correct(changes: readonly Change[]): Promise<void> {
    try {
      const given = this.adjust(changes)
      await (this.#deadlines?.bound(given) ?? given)
    } catch (error) {
      this.#warned({
        code: 'SLUICE_NOT_GIVEN_BACK',
        message: `a refused or failed request could not give its charge back, which stays until it expires: ${String(error)}`,
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
  /** Whether each group goes by a call of its own. */
  readonly alone: boolean
}

/** Slots with only shadow policies go last: shadow policies take what the policies that bind have taken, or nothing. */
export function shadowsLast(groups: readonly Group[]): readonly Group[] {
  const isShadow = ({ checks }: Group) => Number(checks.every(({ shadow }) => shadow))
  return [...groups].sort((a, b) => isShadow(a) - isShadow(b))
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

/** Drops the wait after a charge, which matters only when the whole question is refused. */
function asOneAnswer(checks: readonly Check[], rows: readonly StoreRow[]): StoreRows {
  if (isRefused(checks, rows)) return rows
  return rows.map((row) => (row.allowed && row.retryAfterUs !== 0 ? { ...row, retryAfterUs: 0 } : row))
}
