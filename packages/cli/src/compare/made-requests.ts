import type { Entry } from './log/entry.ts'
import type { Request } from './request.ts'
import type { RequestReader } from './request-reader.ts'

const batchSize = 1000

/** Makes requests of entries that come from no log, in order; an entry that is no valid request is left out. */
export async function* madeRequests(
  entries: Iterable<Entry>,
  toRequest: RequestReader,
): AsyncGenerator<readonly Request[]> {
  let batch: Request[] = []
  for (const entry of entries) {
    const request = toRequest(entry)
    if (typeof request === 'object') batch.push(request)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
