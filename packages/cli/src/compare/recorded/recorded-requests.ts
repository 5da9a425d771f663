import type { RecordedRequests } from '@sluice/telemetry'
import type { Entry } from '../log/entry.ts'
import type { Request } from '../request.ts'
import type { RequestReader } from '../request-reader.ts'

const batchSize = 1000

/** Requests that were recorded together, as requests of their own at that time. */
export async function* recordedRequests(
  recorded: readonly RecordedRequests[],
  toRequest: RequestReader,
): AsyncGenerator<readonly Request[]> {
  let batch: Request[] = []
  for (const each of recorded) {
    const entry = new RecordedEntry(each)
    for (let i = 0; i < each.requests; i++) {
      const request = toRequest(entry)
      if (typeof request === 'object') batch.push(request)
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
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
