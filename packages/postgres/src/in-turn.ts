import type { StateChange } from '@sluice/state'
import { lend, type PostgresClient } from './pool.ts'
import {
  codeOf,
  type Hindered,
  isConflict,
  type Place,
  query,
  type Row,
  snapshotOf,
  statesOf,
  write,
} from './statements.ts'

export type Change<T> = (states: readonly (string | null)[], nowUs: number) => StateChange<T>

export type Found<T> = { readonly result: T } | Hindered

/** The keys and their change, and how long a caller waits for it: until `untilMs` of this process's clock. */
export interface Changing<T> {
  readonly keys: readonly string[]
  readonly change: Change<T>
  readonly untilMs: number
}

/** A process that stands still holds its keys no longer than this or half of the time that its callers have left, whichever is longer. */
const leastHoldMs = 50
/** The server has ended a connection whose process stood still. Nothing was written. */
const stoodStill = '25P03'
/** The server has ended a statement at the role's own timeout, such as one that waits for a lock. */
const canceled = '57014'

/**
 * Runs a change in a transaction that first waits for the lock of `heldKey`, where the server lets one after another through. For further
 * keys it waits only a moment.
 */
export async function changeInTurn<T>(
  place: Place,
  heldKey: string,
  changing: Changing<T>,
): Promise<Found<T>> {
  const leftMs = Math.ceil(changing.untilMs - performance.now())
  if (leftMs <= 0) return 'late'
  const ended: { by?: Error } = {}
  const end = (error: Error): void => {
    ended.by = error
  }
  const client = await lend(place.pool, end)
  let broken = true
  try {
    const found = await underLock(place, client, { heldKey, ...changing })
    broken = false
    return found
  } catch (error) {
    if (codeOf(ended.by) === stoodStill || codeOf(error) === stoodStill) return { heldKey }
    if (!isConflict(error) && codeOf(error) !== canceled) throw error
    await query(place, { text: 'ROLLBACK' }, client)
    broken = false
    return { heldKey }
  } finally {
    client.off?.('error', end)
    client.release(broken)
  }
}

async function underLock<T>(
  place: Place,
  client: PostgresClient,
  { heldKey, keys, change, untilMs }: Changing<T> & { readonly heldKey: string },
): Promise<Found<T>> {
  const leftMs = Math.max(1, Math.ceil(untilMs - performance.now()))
  const holdMs = Math.max(leastHoldMs, Math.ceil(leftMs / 2))
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${leftMs}; SET LOCAL idle_in_transaction_session_timeout = ${holdMs}`
  await query(place, { text: begin }, client)
  const lock = { text: `SELECT * FROM ${place.names.lock}($1::text, $2::text[])`, values: [heldKey, keys] }
  const rows = (await query(place, lock, client)) as readonly Row[] // as the function says
  const [first] = rows
  if (first?.now_us === null && first.key !== null) {
    await query(place, { text: 'ROLLBACK' }, client)
    return { heldKey: first.key }
  }
  const snapshot = snapshotOf(keys, rows)
  const { result, writes } = change(statesOf(snapshot), snapshot.nowUs)
  const lockMs = Math.max(1, Math.ceil(untilMs - performance.now()))
  const hindered =
    writes.length === 0 ? undefined : await write(place, snapshot, { writes, untilMs, lockMs, on: client })
  await query(place, { text: hindered === undefined ? 'COMMIT' : 'ROLLBACK' }, client)
  return hindered ?? { result }
}
