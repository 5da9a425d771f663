import { describeStateStore } from '@sluice/conformance'
import { withFewerHistories } from '@sluice/conformance/internal'
import { createTable } from '../src/index.ts'
import { readTable } from '../src/table.ts'
import { transactIn } from '../src/transact.ts'
import { freshTable, poolOf } from './server.ts'

// The arithmetic is that of all state stores, which is tried on many more histories in memory.
describeStateStore('postgres', async () => {
  const pool = poolOf()
  const table = freshTable()
  await createTable(pool, { table })
  const transact = transactIn({ pool, names: readTable(table), statementMs: 20_000 })
  return withFewerHistories({ transact, share: 0.02, close: () => pool.end() }, 0.01)
})
