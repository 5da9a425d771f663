import type { Policy } from '@sluice/core'
import { catalogue, definitions, isRecord, partsOf } from '@sluice/core/internal'
import { fromJson, toJson } from '@sluice/state/internal'

/** The most forms that are kept: more than a process has policies, but policies that are chosen for one call may be endless. */
const mostForms = 10_000

/** A calendar in a form: the name of the member of the numbers that holds it, and the options from which it is made. */
interface CalendarForm {
  readonly member: string
  readonly options: object
}

/** The parts of a policy that decide: its strategy's code, its numbers, how it blocks, and its calendar. */
type Form = readonly [
  strategy: string,
  numbers: unknown,
  blocking?: definitions.Blocking | null,
  calendar?: CalendarForm | null,
]

const textOf = new WeakMap<Policy, string>()
/** The forms of numbers that hold a calendar, which cannot be made from these numbers alone. */
const textOfNumbers = new WeakMap<object, string>()

/** A policy as a text, from which another process makes one that decides the same. Throws a TypeError if that is impossible. */
export function formOf(policy: Policy): string {
  let text = textOf.get(policy)
  if (text === undefined) {
    text = written(policy)
    note(policy, text)
  }
  return text
}

function note(policy: Policy, text: string): void {
  textOf.set(policy, text)
  const { numbers, calendar } = partsOf(policy)
  if (calendar !== undefined) textOfNumbers.set(numbers as object, text)
}

/** The form of numbers that have written a state. Throws if they hold a calendar, and no policy with them was asked for its form. */
export function formOfNumbers({ code }: definitions.AnyStrategy, numbers: object): string {
  return textOfNumbers.get(numbers) ?? toJson([code, numbers] satisfies Form)
}

function written(policy: Policy): string {
  const { definition, numbers, blocking = null, calendar, options } = partsOf(policy)
  if (!isListed(definition)) throw new TypeError('only processes that have its code could count it')
  const form: Form = [definition.code, numbers, blocking]
  if (calendar === undefined) return toJson(form)
  const [member] = Object.entries(numbers as object).find(([, value]) => value === calendar) ?? []
  if (member === undefined || options === undefined) throw new TypeError('its calendar is in no option')
  const without = { ...(numbers as object), [member]: undefined }
  const said: CalendarForm = { member, options }
  return toJson([definition.code, without, blocking, said] satisfies Form)
}

/** Compares the name and the code: an application may hold two copies of core. */
function isListed({ name, code }: definitions.AnyStrategy): boolean {
  return catalogue.strategyOfCode(code)?.name === name
}

/** The policies of all forms that were read. Equal forms give the same policy, as stores compare numbers by identity. */
export class Forms {
  readonly #policies = new Map<string, Policy>()

  /** Makes this very policy the one of its form, unless there is one. Throws if the policy has no form. */
  adopt(policy: Policy): void {
    const text = formOf(policy)
    if (!this.#policies.has(text)) this.#keep(text, policy)
  }

  /** Throws for a text that is no form. */
  policyOf(text: string): Policy {
    const known = this.#policies.get(text)
    if (known !== undefined) return known
    const policy = read(text)
    note(policy, text)
    this.#keep(text, policy)
    return policy
  }

  #keep(text: string, policy: Policy): void {
    if (this.#policies.size >= mostForms) this.#policies.clear()
    this.#policies.set(text, policy)
  }
}

function read(text: string): Policy {
  const form = fromJson(text)
  if (!Array.isArray(form)) throw new TypeError('no form of a policy')
  const [code, numbers, blocking, calendar] = form as readonly unknown[]
  const definition = typeof code === 'string' ? catalogue.strategyOfCode(code) : undefined
  if (definition === undefined || !isRecord(numbers)) throw new TypeError('no form of a policy')
  const made = { blocking: (blocking ?? undefined) as definitions.Blocking | undefined, options: undefined } // as `written` wrote it
  return definitions.policyOf(definition, { ...numbers, ...calendarOf(definition.name, calendar) }, made)
}

function calendarOf(strategy: string, form: unknown): object {
  if (!isRecord(form)) return {}
  const { member, options } = form as unknown as CalendarForm // as `written` wrote it
  const { calendar } = partsOf(catalogue.policyOfData({ ...options, strategy }))
  return { [member]: calendar }
}
