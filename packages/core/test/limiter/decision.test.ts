import { inspect } from 'node:util'
import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow } from '../../src/index.ts'

const policies = {
  minute: fixedWindow({ limit: 2, window: '1m' }),
  hour: fixedWindow({ limit: 9, window: '1h' }),
}

it('a decision in a log has its verdicts, its summary and its shadow', async () => {
  const limiter = createLimiter({ policies, shadow: { minute: true } })
  for (let i = 0; i < 2; i++) await limiter.check('bob')
  const decision = await limiter.check('bob')
  const written: unknown = JSON.parse(JSON.stringify(decision))
  expect(written).toMatchObject({
    allowed: true,
    policy: 'hour',
    remaining: 6,
    limiter: 'default',
    source: 'memory',
    verdicts: { minute: { allowed: false, limit: 2 }, hour: { allowed: true, remaining: 6 } },
    summary: [0, 9, 6, -1, expect.any(Number)],
    shadow: { policy: 'minute', reason: 'limited' },
  })
  expect(inspect(decision)).toMatch(/verdicts: \{.*summary: \[.*shadow: /s)
})

it('a copy of a decision has what was decided, and neither its verdicts nor its methods', async () => {
  const decision = await createLimiter({ policies }).check('bob')
  const left = { policy: 'minute', remaining: 1 }
  for (const copy of [{ ...decision }, structuredClone(decision)]) {
    expect(copy).toMatchObject(left)
    for (const name of ['verdicts', 'summary', 'shadow', 'signal', 'refund'])
      expect(copy).not.toHaveProperty(name)
  }
  expect({ ...decision, verdicts: decision.verdicts }).toMatchObject({ ...left, verdicts: { minute: left } })
})

it('a decision keeps one record of its verdicts', async () => {
  const decision = await createLimiter({ policies }).check('bob')
  expect(decision.verdicts).toBe(decision.verdicts)
})
