import { expect, test } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { runPage } from './run-page.ts'

test('a limit is changed as docs/changing-limits.md says', async () => {
  const redis = await RedisProcess.prepare()
  await redis.start()
  const { passed, failed, said } = await runPage('docs/changing-limits.md', { env: { REDIS_URL: redis.url } })
  expect(failed > 0 || passed === 0 ? said : '').toBe('')
  await redis.end()
}, 200_000)
