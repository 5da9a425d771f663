import { isOptionError, type Policy } from '@sluice/core'
import { definitions, partsOf, pictures } from '@sluice/core/internal'
import { dataOfPolicy } from '../policy-data.ts'
import type { DescribedLimit } from '../wire.ts'
import type { ChangedLimit } from './change.ts'

/** One limit of this process by its name: its own numbers, and what stands in for them. */
export class Limit {
  readonly name: string
  /** What limiters count by. */
  readonly policy: Policy
  readonly #own: Policy
  /** Read by each call. */
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
    return definitions.policyWithOptions(this.#own, options, 'options')
  }

  /** undefined: it is not changed. What makes no sense here changes nothing. */
  hear(change: ChangedLimit | undefined, nowUs: number): void {
    if (change === undefined) {
      this.#restore()
      return
    }
    const options = JSON.stringify(change.options)
    try {
      if (this.#options !== options) this.#changing.now = this.with(change.options)
    } catch (error) {
      if (!isOptionError(error)) throw error
      this.#problem = error.message
      return
    }
    this.#options = options
    this.#problem = null
    this.#endsAtUs = change.endsInMs === null ? Number.POSITIVE_INFINITY : nowUs + change.endsInMs * 1000
  }

  /** A change ends in time also while Redis is away; true: just now. */
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
