export interface Block {
  readonly untilUs: number
  /** Whether it was made by `block`, not by a penalty or the policy: then no client has caused it. */
  readonly byHand: boolean
  readonly banned: boolean
}

/** How often a key was blocked by its policy, and until when that counts. */
export interface BlockCount {
  readonly times: number
  readonly untilUs: number
}

/** The blocks of a table's keys, and the counts of past blocks: few compared to its states. A key with either has a slot in the table. */
export class Blocks {
  readonly #byKey = new Map<string, Block>()
  readonly #counts = new Map<string, BlockCount>()

  /** How many keys are blocked, or were and have not been asked for since. */
  get size(): number {
    return this.#byKey.size
  }

  /** How long a key stays blocked; 0 where it is not. */
  restUs(key: string, nowUs: number): number {
    return this.#byKey.size === 0 ? 0 : this.#rest(key, nowUs)
  }

  #rest(key: string, nowUs: number): number {
    const untilUs = this.#byKey.get(key)?.untilUs
    if (untilUs === undefined) return 0
    if (untilUs > nowUs) return untilUs - nowUs
    this.#byKey.delete(key)
    return 0
  }

  /** The block that a key is under. */
  of(key: string, nowUs: number): Block | undefined {
    return this.restUs(key, nowUs) > 0 ? this.#byKey.get(key) : undefined
  }

  /** How often the policy has blocked the key; undefined if it never did, or if that no longer counts. */
  countOf(key: string, nowUs: number): BlockCount | undefined {
    if (this.#counts.size === 0) return undefined
    const count = this.#counts.get(key)
    if (count === undefined || count.untilUs > nowUs) return count
    this.#counts.delete(key)
    return undefined
  }

  set(key: string, block: Block): void {
    this.#byKey.set(key, block)
  }

  count(key: string, count: BlockCount): void {
    this.#counts.set(key, count)
  }

  delete(key: string): void {
    this.#byKey.delete(key)
    this.#counts.delete(key)
  }
}
