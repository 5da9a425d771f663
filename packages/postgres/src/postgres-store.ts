import type { Duration, GuardOptions, Store } from '@sluice/core'
import { checkNames, durationUs, limiters, stores } from '@sluice/core/internal'
import { stateStore } from '@sluice/state'
import { checkPool, type PostgresPool, refuseClient } from './pool.ts'
import { Sweeper } from './sweeper.ts'
import { readTable, type TableOptions } from './table.ts'
import { transactIn } from './transact.ts'

export interface PostgresStoreOptions extends GuardOptions, TableOptions {
  /** The longest that a statement holds a connection of the pool. @default '1s' */
  statementDeadline?: Duration | undefined
  /** How often rows that no longer matter are deleted. @default '1m' */
  sweepEvery?: Duration | undefined
}

/**
 * Counts in a table of PostgreSQL, on the server's clock, exactly for all processes. Guarded as `guardedStore` says. The pool is
 * yours: `close()` ends only the timer that deletes expired rows, and waits for a deletion under way.
 *
 * @example
 * const pool = new Pool({ connectionString: 'postgres://localhost/app' })
 * await createTable(pool)
 * const limiter = createLimiter({ policy, store: postgresStore(pool) })
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): Store {
  checkNames(options, '', ['table', 'statementDeadline', 'sweepEvery', ...stores.guardNames])
  const { table, statementDeadline = '1s', sweepEvery = '1m', ...guardOptions } = options
  checkPool(pool)
  refuseClient(pool)
  limiters.warnOfShortTimes(undefined, { sweepEvery })
  const statementMs = Math.ceil(durationUs(statementDeadline, 'statementDeadline') / 1000)
  const everyMs = Math.ceil(durationUs(sweepEvery, 'sweepEvery') / 1000)
  const place = { pool, names: readTable(table), statementMs }
  // A pool without a listener ends the process when an idle connection breaks, as all do when the server starts anew.
  const unheard = (): void => {}
  const store = stateStore({
    ...guardOptions,
    name: 'postgres',
    transact: transactIn(place),
    async close() {
      await sweeper.stop()
      pool.off?.('error', unheard)
    },
  })
  pool.on?.('error', unheard)
  const sweeper = new Sweeper(place, everyMs)
  return store
}
