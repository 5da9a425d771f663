export interface Block {
  readonly untilUs: number
  /** By `block`, not by a penalty: no client has brought it about. */
  readonly byHand: boolean
}

/** Which keys of a table are blocked: few, where states are many. A key that is blocked has a slot in the table. */
export class Blocks {
  readonly #byKey = new Map<string, Block>()

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

  set(key: string, block: Block): void {
    this.#byKey.set(key, block)
  }

  delete(key: string): void {
    this.#byKey.delete(key)
  }
}
