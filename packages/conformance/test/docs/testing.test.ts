import { expect, test } from '@jest/globals'
import { runPage } from './run-page.ts'

test('the tests of docs/testing.md pass', async () => {
  const { passed, failed, said } = await runPage('docs/testing.md')
  expect(failed > 0 || passed === 0 ? said : '').toBe('')
}, 300_000)
