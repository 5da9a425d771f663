/** How long a key counts as contended. After that it is tried without a lock again: a refusal needs none. */
const rememberedMs = 1000
/** At more keys than this, all are forgotten: each is found again at the price of one attempt. */
const most = 1000

/** Keys at which other transactions were first just now. */
export class Contended {
  readonly #untilMs = new Map<string, number>()

  add(key: string, nowMs: number): void {
    if (this.#untilMs.size >= most) this.#untilMs.clear()
    this.#untilMs.set(key, nowMs + rememberedMs)
  }

  /** The first of these keys that is contended. */
  among(keys: readonly string[], nowMs: number): string | undefined {
    if (this.#untilMs.size === 0) return undefined
    for (const key of keys) {
      const untilMs = this.#untilMs.get(key)
      if (untilMs === undefined) continue
      if (untilMs > nowMs) return key
      this.#untilMs.delete(key)
    }
    return undefined
  }
}
