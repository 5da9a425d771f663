import type { StrategyPlan } from '../history/plan.ts'

/** A count as a person would keep it, from what its strategy's page says. */
export interface Count {
  /** false: units were given back, and how much that was is not known exactly. */
  readonly isExact: boolean
  /** Units beyond the limit that callers may reserve. */
  readonly debt: number
  roomAt(atUs: number): number
  /** Charges units, whether or not there is room. */
  charge(units: number, atUs: number): void
  give(units: number, atUs: number, isReward: boolean): void
  /** Makes the next call of one unit wait at least so long. */
  raise(waitUs: number, atUs: number): void
  clear(): void
}

/** undefined for a strategy whose count is not so simple. */
export function countOf(plan: StrategyPlan, maxDebtMs: number): Count | undefined {
  switch (plan.strategy) {
    case 'slidingWindowLog':
      return new Log(plan.limit, plan.windowMs * 1000)
    case 'gcra':
      return new Bucket(plan.burst + 1, plan, maxDebtMs)
    case 'tokenBucket':
      return plan.startsEmpty === true ? undefined : new Bucket(plan.capacity, plan, maxDebtMs)
    case 'leakyBucket':
      return new Bucket(plan.capacity, plan, maxDebtMs)
    default:
      return undefined
  }
}

/** A count that keeps every unit with its time. */
class Log implements Count {
  readonly debt = 0
  readonly #limit: number
  readonly #windowUs: number
  #units: number[] = []
  #given = 0

  constructor(limit: number, windowUs: number) {
    this.#limit = limit
    this.#windowUs = windowUs
  }

  get isExact(): boolean {
    return this.#given === 0
  }

  roomAt(atUs: number): number {
    const counted = this.#units.filter((us) => us > atUs - this.#windowUs).length
    return this.#limit - Math.max(0, counted - this.#given)
  }

  charge(units: number, atUs: number): void {
    for (let i = 0; i < units; i++) this.#units.push(atUs)
  }

  /** A reward removes the newest units; it is not looked up which units a refund returns. */
  give(units: number, _atUs: number, isReward: boolean): void {
    if (isReward) this.#units.splice(Math.max(0, this.#units.length - units))
    else this.#given += units
  }

  /** Does nothing, as for windows. */
  raise(): void {}

  clear(): void {
    this.#units = []
    this.#given = 0
  }
}

/** A count that is a falling level. */
class Bucket implements Count {
  readonly debt: number
  readonly #capacity: number
  readonly #perUs: number
  #level = 0
  #atUs = 0
  isExact = true

  constructor(
    capacity: number,
    { count, periodMs }: { readonly count: number; readonly periodMs: number },
    maxDebtMs: number,
  ) {
    this.#capacity = capacity
    this.#perUs = count / (periodMs * 1000)
    this.debt = maxDebtMs * 1000 * this.#perUs
  }

  #fallTo(atUs: number): void {
    this.#level = Math.max(0, this.#level - (atUs - this.#atUs) * this.#perUs)
    this.#atUs = atUs
  }

  roomAt(atUs: number): number {
    this.#fallTo(atUs)
    return this.#capacity - this.#level
  }

  charge(units: number, atUs: number): void {
    this.#fallTo(atUs)
    const most = Math.max(this.#level, this.#capacity + this.debt)
    this.#level = Math.min(most, this.#level + units)
  }

  give(units: number, atUs: number, isReward: boolean): void {
    this.#fallTo(atUs)
    this.#level = Math.max(0, this.#level - units)
    if (!isReward) this.isExact = false
  }

  raise(waitUs: number, atUs: number): void {
    this.#fallTo(atUs)
    const raised = Math.min(this.#capacity - 1 + waitUs * this.#perUs, this.#capacity + this.debt)
    this.#level = Math.max(this.#level, raised)
  }

  clear(): void {
    this.#level = 0
    this.isExact = true
  }
}
