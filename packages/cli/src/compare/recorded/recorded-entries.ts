import type { RecordedRequests } from '@sluice/telemetry'
import type { Entry } from '../log/entry.ts'

export const recordedFields: readonly string[] = ['key', 'cost']

/** Requests that were recorded together, as entries of their own at that time. */
export function* recordedEntries(recorded: readonly RecordedRequests[]): Generator<Entry> {
  for (const each of recorded) {
    const entry = new RecordedEntry(each)
    for (let i = 0; i < each.requests; i++) yield entry
  }
}

class RecordedEntry implements Entry {
  readonly atUs: number
  readonly #key: string
  readonly #cost: string

  constructor({ atMs, key, requests, units }: RecordedRequests) {
    this.atUs = atMs * 1000
    this.#key = key
    this.#cost = String(Math.round(units / requests))
  }

  field(name: string): string | undefined {
    if (name === 'key') return this.#key
    return name === 'cost' ? this.#cost : undefined
  }
}
