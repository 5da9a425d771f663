/** Texts by ticket, each kept for the same time; beyond `most` the oldest are dropped. */
export class Results {
  readonly #most: number
  readonly #lifeUs: number
  readonly #kept = new Map<string, { readonly text: string; readonly goneUs: number }>()

  constructor(most: number, lifeUs: number) {
    this.#most = most
    this.#lifeUs = lifeUs
  }

  set(ticket: string, text: string, nowUs: number): void {
    this.#kept.set(ticket, { text, goneUs: nowUs + this.#lifeUs })
    this.#drop(nowUs)
  }

  get(ticket: string, nowUs: number): string | undefined {
    this.#drop(nowUs)
    return this.#kept.get(ticket)?.text
  }

  #drop(nowUs: number): void {
    for (const [ticket, { goneUs }] of this.#kept) {
      if (goneUs > nowUs && this.#kept.size <= this.#most) return
      this.#kept.delete(ticket)
    }
  }
}
