import { stores } from '@sluice/core/internal'
import type { Transact } from '@sluice/state'
import { Contended } from './contended.ts'
import { type Change, type Changing, changeInTurn, type Found } from './in-turn.ts'
import { Seats } from './seats.ts'
import { isConflict, type Place, read, statesOf, write } from './statements.ts'

/** The longest wait, outside of a turn, for a row that another transaction has locked. */
const momentMs = 10
/** The part of the pool's connections that may wait for turns: other calls, and the user's own statements, have the rest. */
const partInTurn = 1 / 2
const usualConnections = 10

/**
 * Reads without a lock, and writes if nothing has changed since: a refusal is one round trip, a charge two, and no process waits for
 * another. A key at which another process was first is locked for a while from then on, as otherwise the luckiest process would always be
 * first. The time is read with the states, so that a transaction that writes later has read a later time.
 */
export function transactIn(place: Place): Transact {
  const contended = new Contended()
  const connections = place.pool.options?.max ?? usualConnections
  const seats = new Seats(Math.max(1, Math.floor(connections * partInTurn)))
  return async function transact<T>(keys: readonly string[], change: Change<T>, leftMs = place.statementMs) {
    const startedMs = performance.now()
    const ms = Math.min(leftMs, place.statementMs)
    const changing: Changing<T> = { keys, change, untilMs: startedMs + ms }
    const known = contended.among(keys, startedMs)
    let found = known === undefined ? await changeAtOnce(place, changing) : { heldKey: known }
    if (known === undefined && isHeld(found)) contended.add(found.heldKey, performance.now())
    while (isHeld(found)) {
      const { heldKey } = found
      found = await seats.run(() => changeInTurn(place, heldKey, changing))
    }
    if (found === 'late') throw stores.lateError('postgres', Math.round(ms))
    return found.result
  }
}

function isHeld<T>(found: Found<T>): found is { readonly heldKey: string } {
  return found !== 'late' && 'heldKey' in found
}

async function changeAtOnce<T>(place: Place, { keys, change, untilMs }: Changing<T>): Promise<Found<T>> {
  const snapshot = await read(place, keys)
  const { result, writes } = change(statesOf(snapshot), snapshot.nowUs)
  if (writes.length === 0) return { result }
  try {
    return (await write(place, snapshot, { writes, untilMs, lockMs: momentMs })) ?? { result }
  } catch (error) {
    const [heldKey] = keys
    if (heldKey !== undefined && isConflict(error)) return { heldKey }
    throw error
  }
}
