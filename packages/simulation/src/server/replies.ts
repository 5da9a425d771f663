import type { StoreRow, StoreRows } from '@sluice/core'
import type { Asked } from './calls.ts'

const statuses = { limited: 1, blocked: 2, 'too-costly': 3, banned: 6 } as const

function statusOf({ reason }: StoreRow): number {
  if (reason === null) return 0
  if (reason === 'denied' || reason === 'store-unavailable') throw new Error(`no script says ${reason}`)
  return statuses[reason]
}

/** The numbers that a script answers for one check: status, limit, remaining, wait, reset, receipt. */
function numbersOf(row: StoreRow, policyLimit: number, maxWaitUs: number) {
  return {
    status: statusOf(row),
    limit: row.limit === policyLimit ? 0 : row.limit,
    remaining: row.remaining,
    waitUs: row.allowed && maxWaitUs > 0 ? row.waitUs : row.retryAfterUs,
    resetUs: row.resetAfterUs,
    receipt: row.receipt === '' ? 0 : row.receipt,
  }
}

/** A reply of decideOne.lua. */
export function oneReply({ question, limits }: Asked, rows: StoreRows, serverUs: number): readonly unknown[] {
  const [row] = rows
  const [limit] = limits
  if (row === undefined || limit === undefined) throw new Error('no row')
  const said = numbersOf(row, limit, question.maxWaitUs)
  return [serverUs, said.status, said.limit, said.remaining, said.waitUs, said.resetUs, said.receipt]
}

/** What became of a question of a batch. */
export type Outcome = StoreRows | 'late' | Error

const never = 2 ** 53

/** A reply of decide.lua. */
export function batchReply(
  asked: readonly Asked[],
  outcomes: readonly Outcome[],
  { serverUs, spentUs }: { serverUs: number; spentUs: number },
): readonly unknown[] {
  const packed = new Packed()
  for (const [i, each] of asked.entries()) {
    const outcome = outcomes[i]
    if (outcome === undefined) throw new Error('no outcome')
    if (outcome === 'late') packed.byte(4)
    else if (outcome instanceof Error) packed.failed(outcome)
    else packed.rows(each, outcome)
  }
  return [serverUs, spentUs, packed.bytes(), ...packed.texts]
}

class Packed {
  readonly texts: Uint8Array[] = []
  readonly #parts: Buffer[] = []

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts)
  }

  byte(value: number): void {
    this.#parts.push(Buffer.from([value]))
  }

  #doubles(...values: readonly number[]): void {
    const bytes = Buffer.alloc(8 * values.length)
    for (const [i, value] of values.entries()) bytes.writeDoubleLE(value, 8 * i)
    this.#parts.push(bytes)
  }

  failed(error: Error): void {
    this.byte(5)
    this.texts.push(Buffer.from(error.message))
  }

  /** Adds the rows of a question in reverse order, and behind several rows a summary of those that bind. */
  rows({ question: { checks, maxWaitUs, upTo }, limits }: Asked, rows: StoreRows): void {
    let [least, longestUs, fullUs, refused] = [never, -1, 0, false]
    for (let i = checks.length - 1; i >= 0; i--) {
      const [check, row, limit] = [checks[i], rows[i], limits[i]]
      if (check === undefined || row === undefined || limit === undefined) throw new Error('no row')
      const said = numbersOf(row, limit, maxWaitUs)
      const receipt = typeof said.receipt === 'number' ? said.receipt : -1
      if (typeof said.receipt === 'string') this.texts.push(Buffer.from(said.receipt))
      this.byte(said.limit === 0 ? said.status : said.status + 8)
      this.#doubles(said.remaining, said.waitUs, said.resetUs, receipt)
      if (said.limit !== 0) this.#doubles(said.limit)
      if (upTo !== undefined) this.#doubles(row.taken ?? 0)
      if (check.shadow) continue
      least = Math.min(least, said.remaining)
      fullUs = Math.max(fullUs, said.resetUs)
      if (said.status === 0) continue
      refused = true
      longestUs = said.waitUs < 0 ? never : Math.max(longestUs, said.waitUs)
    }
    if (checks.length === 1) return
    const waits = longestUs >= 0 && longestUs !== never
    this.byte(refused ? 1 : 0)
    this.#doubles(least, waits ? longestUs / 1e6 : -1, fullUs / 1e6)
  }
}
