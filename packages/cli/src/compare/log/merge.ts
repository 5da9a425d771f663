import type { Request, Requests } from '../request.ts'

interface Head {
  readonly iterator: AsyncIterator<readonly Request[]>
  batch: readonly Request[]
  next: number
}

const batchSize = 1000

/** Merges streams by time: the logs of several servers, or of several days in any order. */
export async function* merged(streams: readonly Requests[]): AsyncGenerator<readonly Request[]> {
  const heads: Head[] = []
  for (const stream of streams) {
    const head = { iterator: stream[Symbol.asyncIterator](), batch: [], next: 0 }
    if (await refill(head)) heads.push(head)
  }
  let out: Request[] = []
  for (let head = earliest(heads); head !== undefined; head = earliest(heads)) {
    const request = head.batch[head.next++]
    if (request !== undefined) out.push(request)
    if (head.next === head.batch.length && !(await refill(head))) heads.splice(heads.indexOf(head), 1)
    if (out.length < batchSize) continue
    yield out
    out = []
  }
  if (out.length > 0) yield out
}

/** Returns false if the stream has ended. */
async function refill(head: Head): Promise<boolean> {
  do {
    const { value, done } = await head.iterator.next()
    if (done === true) return false
    head.batch = value
    head.next = 0
  } while (head.batch.length === 0)
  return true
}

function earliest(heads: readonly Head[]): Head | undefined {
  let found: Head | undefined
  let atUs = Number.POSITIVE_INFINITY
  for (const head of heads) {
    const headUs = head.batch[head.next]?.atUs ?? Number.POSITIVE_INFINITY
    if (headUs < atUs) {
      found = head
      atUs = headUs
    }
  }
  return found
}
