import type { Entry } from './log/entry.ts'
import type { Request } from './request.ts'
import type { RequestReader } from './request-reader.ts'
import type { Traffic } from './traffic/kinds.ts'

/** Generated traffic begins at midnight UTC of this day. */
const beginsUs = Date.UTC(2026, 0, 1) * 1000
const batchSize = 1000

/** Generated traffic as requests. Its clients serve as addresses and as users. */
export async function* trafficRequests(
  traffic: Traffic,
  toRequest: RequestReader,
): AsyncGenerator<readonly Request[]> {
  let batch: Request[] = []
  for (const { atUs, client } of traffic.arrivals()) {
    const request = toRequest(new GeneratedEntry(beginsUs + atUs, client))
    if (typeof request === 'object') batch.push(request)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
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
