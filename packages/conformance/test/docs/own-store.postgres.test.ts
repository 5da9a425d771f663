import { expect, test } from '@jest/globals'
import { runPage } from './run-page.ts'

// The page's own code is `transact`: what is done by it packages/postgres tries, and `npm run test:trials` all of it here too.
const only = 'transact|gcra|concurrency|several policies|many at once|skips nothing'

test('the store of docs/own-store.md passes its suite', async () => {
  const { SLUICE_TEST_POSTGRES_DIR: folder, SLUICE_TEST_HISTORIES: histories } = process.env
  const { passed, failed, said } = await runPage('docs/own-store.md', {
    env: { PGHOST: folder, PGUSER: 'sluice', PGDATABASE: 'postgres' },
    only: histories === 'all' ? '' : only,
  })
  expect(failed > 0 || passed === 0 ? said : '').toBe('')
}, 600_000)
