import type { Entry } from './log/entry.ts'
import type { Traffic } from './traffic/kinds.ts'

/** Generated traffic begins at midnight UTC of this day. */
const beginsUs = Date.UTC(2026, 0, 1) * 1000

export const generatedFields: readonly string[] = ['ip', 'user', 'method']

/** Generated traffic as entries of a log. Its clients serve as addresses and as users. */
export function* trafficEntries(traffic: Traffic): Generator<Entry> {
  for (const { atUs, client } of traffic.arrivals()) yield new GeneratedEntry(beginsUs + atUs, client)
}

class GeneratedEntry implements Entry {
  readonly atUs: number
  readonly #client: string

  constructor(atUs: number, client: string) {
    this.atUs = atUs
    this.#client = client
  }

  field(name: string): string | undefined {
    if (name === 'ip' || name === 'user') return this.#client
    return name === 'method' ? 'GET' : undefined
  }
}
