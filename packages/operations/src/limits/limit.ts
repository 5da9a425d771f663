import { isOptionError, type Policy } from '@sluice/core'
import { definitions, partsOf, pictures } from '@sluice/core/internal'
import { dataOfPolicy } from '../policy-data.ts'
import type { DescribedLimit } from '../wire.ts'
import type { ChangedLimit } from './change.ts'

/** One limit of this process: its own numbers, and the change that is in force in their place. */
export class Limit {
  readonly name: string
  /** The policy by which limiters count. */
  readonly policy: Policy
  readonly #own: Policy
  /** The policy of the change that is in force; each call reads it. */
  readonly #changing: { now: Policy | undefined } = { now: undefined }
  #options = ''
  #endsAtUs = Number.POSITIVE_INFINITY
  /** Why a change is not in force here. */
  #problem: string | null = null

  constructor(name: string, own: Policy) {
    this.name = name
    this.#own = own
    const { definition, numbers, blocking, options, scale } = partsOf(own)
    const changing = this.#changing
    this.policy = definitions.policyOf(definition, numbers, { blocking, options, scale, changing })
  }

  /** The policy that is in force. */
  get now(): Policy {
    return this.#changing.now ?? this.#own
  }

  isOf(own: Policy): boolean {
    return partsOf(own).value === partsOf(this.#own).value
  }

  /** Throws an OptionError where these options make no policy. */
  with(options: unknown): Policy {
    return definitions.policyWithOptions(this.#own, options)
  }

  /**
   * Puts a change in force; undefined: the limit is not changed. Options that make no policy here change nothing. Returns whether
   * another policy came into force.
   */
  hear(change: ChangedLimit | undefined, nowUs: number): boolean {
    if (change === undefined) {
      this.#restore()
      return false
    }
    const options = JSON.stringify(change.options)
    const isOther = this.#options !== options
    try {
      if (isOther) this.#changing.now = this.with(change.options)
    } catch (error) {
      if (!isOptionError(error)) throw error
      this.#problem = error.message
      return false
    }
    this.#options = options
    this.#problem = null
    this.#endsAtUs = change.endsInMs === null ? Number.POSITIVE_INFINITY : nowUs + change.endsInMs * 1000
    return isOther
  }

  /** Ends a change whose time is over, also while Redis is away. Returns whether it did. */
  endsBy(nowUs: number): boolean {
    if (nowUs < this.#endsAtUs) return false
    this.#restore()
    return true
  }

  #restore(): void {
    this.#changing.now = undefined
    this.#options = ''
    this.#endsAtUs = Number.POSITIVE_INFINITY
    this.#problem = null
  }

  describe(): DescribedLimit {
    const { now } = this.#changing
    return {
      name: this.name,
      rule: pictures.pictureOf(this.#own).rule,
      now: now === undefined ? null : pictures.pictureOf(now).rule,
      data: dataOfPolicy(this.#own) ?? null,
      problem: this.#problem,
    }
  }
}
