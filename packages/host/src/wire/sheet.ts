import type { Check, Policy } from '@sluice/core'
import { garbled } from '../errors.ts'
import { type Forms, formOf } from '../forms.ts'

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw garbled(what)
}

export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw garbled(what)
}

export function wholeOf(value: unknown, what: string, least = 0): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw garbled(what)
}

/** Writes the checks of one frame: a policy and a name that several have in common are written once. */
export class Sheet {
  /** By turns the name of a count and the form of its policy. */
  readonly heads: string[] = []
  readonly #ids: string[] = []
  readonly #policies: Policy[] = []

  write(check: Check): readonly unknown[] {
    const at = this.#at(check)
    const { key, cost, note, shadow } = check
    if (note === undefined && !shadow) return [at, key, cost]
    return [at, key, cost, note ?? null, shadow]
  }

  #at({ id, policy }: Check): number {
    for (let i = this.#ids.length - 1; i >= 0; i--)
      if (this.#policies[i] === policy && this.#ids[i] === id) return i
    this.heads.push(id, formOf(policy))
    this.#ids.push(id)
    return this.#policies.push(policy) - 1
  }
}

/** Reads the checks of one frame. */
export class ReadSheet {
  readonly #ids: string[] = []
  readonly #policies: Policy[] = []

  constructor(heads: readonly unknown[], forms: Forms) {
    for (let i = 0; i < heads.length; i += 2) {
      this.#ids.push(textOf(heads[i], 'name of a count'))
      this.#policies.push(forms.policyOf(textOf(heads[i + 1], 'policy')))
    }
  }

  check(written: unknown): Check {
    const [at, key, cost, note = null, shadow = false] = listOf(written, 'check')
    const index = wholeOf(at, 'check')
    const [id, policy] = [this.#ids[index], this.#policies[index]]
    if (id === undefined || policy === undefined) throw garbled('check')
    return {
      id,
      policy,
      key: textOf(key, 'key'),
      cost: wholeOf(cost, 'cost'),
      note: note === null ? undefined : textOf(note, 'note'),
      shadow: shadow === true,
      onStoreFailure: 'local',
    }
  }
}
