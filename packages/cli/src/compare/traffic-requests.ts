import type { Asking } from './asking.ts'
import type { Entry } from './log/entry.ts'
import type { Request } from './request.ts'
import type { Traffic } from './traffic/kinds.ts'

/** Made-up traffic begins at midnight UTC of this day. */
const beginsUs = Date.UTC(2026, 0, 1) * 1000
const batchSize = 1000

/** Made-up traffic as requests. Its clients are addresses and users alike. */
export async function* trafficRequests(traffic: Traffic, asking: Asking): AsyncGenerator<readonly Request[]> {
  let batch: Request[] = []
  for (const { atUs, client } of traffic.arrivals()) {
    const request = asking(new MadeUp(beginsUs + atUs, client))
    if (typeof request === 'object') batch.push(request)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

class MadeUp implements Entry {
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
