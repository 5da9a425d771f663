import { expect, test } from '@jest/globals'
import { runPage } from './run-page.ts'

test('the store of docs/own-store.md passes its suite', async () => {
  const { SLUICE_TEST_POSTGRES_DIR: folder } = process.env
  const { passed, failed, said } = await runPage('docs/own-store.md', {
    PGHOST: folder,
    PGUSER: 'sluice',
    PGDATABASE: 'postgres',
  })
  expect(failed > 0 || passed === 0 ? said : '').toBe('')
}, 600_000)
