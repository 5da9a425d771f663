import { expect, test } from '@jest/globals'
import { runPage } from './run-page.ts'

test('the strategy of docs/own-strategy.md passes its suite', async () => {
  const { passed, failed, said } = await runPage('docs/own-strategy.md')
  expect(failed > 0 || passed === 0 ? said : '').toBe('')
}, 300_000)
