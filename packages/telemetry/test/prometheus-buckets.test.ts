import { expect, it } from '@jest/globals'
import { bucketsSeconds } from '../src/metric-list.ts'
import { Buckets } from '../src/prometheus-buckets.ts'

it('counts up to and including each bound, cumulatively, and sums in seconds', () => {
  const buckets = new Buckets({ limiter: 'login' })
  // At the first two bounds, just above the second, and above all.
  for (const ms of [0.1, 0.25, 0.2501, 2000]) buckets.add(ms)
  const values = new Map(
    buckets.values('d').map(({ metricName, labels, value }) => [`${metricName} ${labels.le ?? ''}`, value]),
  )
  expect([0.0001, 0.00025, 0.0005, 0.001, 1].map((le) => values.get(`d_bucket ${le}`))).toEqual([
    1, 2, 3, 3, 3,
  ])
  expect(values.size).toBe(bucketsSeconds.length + 3)
  expect(values.get('d_bucket +Inf')).toBe(4)
  expect(values.get('d_count ')).toBe(4)
  expect(values.get('d_sum ')).toBeCloseTo(2.0006001, 9)
})
