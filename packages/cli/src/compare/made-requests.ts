import { AddressedEntry } from './client/addressed-entry.ts'
import { UnjudgedError } from './judge.ts'
import type { Entry } from './log/entry.ts'
import type { Request } from './request.ts'
import type { RequestReader } from './request-reader.ts'
import { lackingWords } from './words.ts'

const batchSize = 1000

/** Makes requests of entries that come from no log, in order: all have the fields `has`, or an UnjudgedError says what they lack. */
export async function* madeRequests(
  entries: Iterable<Entry>,
  toRequest: RequestReader,
  has: readonly string[],
): AsyncGenerator<readonly Request[]> {
  let batch: Request[] = []
  for (const entry of entries) {
    const request = toRequest(entry)
    if (typeof request === 'object') batch.push(request)
    else checkFields(entry, toRequest, has)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Makes the request once more, to see which field was lacking. */
function checkFields(entry: Entry, toRequest: RequestReader, has: readonly string[]): void {
  const addressed = new AddressedEntry(entry, entry.field('ip'))
  toRequest(addressed)
  if (addressed.lacks !== undefined)
    throw new UnjudgedError(`the requests have ${lackingWords({ field: addressed.lacks, has }, 'each')}`)
}
