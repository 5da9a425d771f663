import type { Transact } from './transactions.ts'

/** The members that states need of a Durable Object's storage (`ctx.storage`) with SQLite. */
export interface ObjectStorage {
  readonly sql: {
    exec(query: string, ...bindings: unknown[]): { toArray(): object[] }
  }
  transactionSync<T>(act: () => T): T
}

const table = `CREATE TABLE IF NOT EXISTS sluice_states (key TEXT PRIMARY KEY, state TEXT NOT NULL, ends_ms INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS sluice_states_ends ON sluice_states (ends_ms)`
const read = 'SELECT state FROM sluice_states WHERE key = ?'
const write = 'INSERT OR REPLACE INTO sluice_states VALUES (?, ?, ?)'
const remove = 'DELETE FROM sluice_states WHERE key = ?'
/** Removes more ended rows than a change writes, so that they become fewer. */
const removeEnded = `DELETE FROM sluice_states WHERE key IN
  (SELECT key FROM sluice_states WHERE ends_ms <= ? LIMIT 8)`

/** Transactions on the storage of a Durable Object. */
export function transactOn(storage: ObjectStorage): Transact {
  let latestMs = 0
  storage.sql.exec(table)
  return async (keys, change) => {
    latestMs = Math.max(latestMs, Date.now())
    // Nothing else of the object runs meanwhile, and a transaction that throws writes nothing.
    return storage.transactionSync(() => {
      const states = keys.map((key) => stateIn(storage, key))
      const { result, writes } = change(states, latestMs * 1000)
      for (const { key, state, ttlMs } of writes) {
        if (state === null) storage.sql.exec(remove, key)
        else storage.sql.exec(write, key, state, latestMs + ttlMs)
      }
      if (writes.length > 0) storage.sql.exec(removeEnded, latestMs)
      return result
    })
  }
}

function stateIn({ sql }: ObjectStorage, key: string): string | null {
  const [row] = sql.exec(read, key).toArray() as { readonly state: string }[] // as the table has it
  return row?.state ?? null
}
