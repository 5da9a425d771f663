import { expect, it } from '@jest/globals'
import { type Limits, loadLimits } from '../src/index.ts'

const text = `
schema:
  budget:
    children:
      "*": { limits: { strategy: fixedWindow, limit: 2.5, window: 1h, unit: 0.01 } }
`

it('a limit in a file may count fractions', async () => {
  const limits: Limits = await loadLimits({ text })
  const { allowed, remaining, limit } = await limits.check(['budget', 'bob'], { cost: 0.25 })
  expect({ allowed, remaining, limit }).toEqual({ allowed: true, remaining: 2.25, limit: 2.5 })
  await limits.close()
})

it('says what is wrong with a unit, and with an amount that has more digits', async () => {
  await expect(loadLimits({ text: text.replace('0.01', '0.5') })).rejects.toThrow(
    /unit: expected one of 1, 0.1/,
  )
  await expect(loadLimits({ text: text.replace('0.01', '0.1').replace('2.5', '2.55') })).rejects.toThrow(
    /limit: expected a number of at least 0 with at most 1 digits behind the point/,
  )
})
