import type { Transact } from '../src/transactions.ts'
import { mapOfStates } from './map-of-states.ts'

/** States in a Map whose keys can be held, as somebody else's transaction holds them; and the database can be away. */
export function heldStates() {
  const { transact: transactInMap, states } = mapOfStates()
  const locks = new Map<string, Promise<void>>()
  const calls: { readonly keys: readonly string[]; readonly leftMs: number | undefined }[] = []
  const database = { away: false }
  const transact: Transact = async (keys, change, leftMs) => {
    if (keys.length > 0) calls.push({ keys, leftMs })
    if (database.away) await new Promise(() => {})
    for (const key of keys) for (const [held, over] of locks) if (key.includes(`{${held}}`)) await over
    return transactInMap(keys, change)
  }
  /** Until what it answers is called. */
  const hold = (key: string): (() => void) => {
    let letGo = () => {}
    const over = new Promise<void>((resolve) => {
      letGo = () => {
        locks.delete(key)
        resolve()
      }
    })
    locks.set(key, over)
    return () => letGo()
  }
  return { transact, states, calls, hold, database }
}
