import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import { type Transact, Transactions } from '../src/transactions.ts'

const policy = gcra({ count: 5, period: '1h' })
const check = { id: 'a:gc', policy, key: 'k', cost: 1, note: undefined, shadow: false } as const

/** What the second transaction gets as `leftMs`: calls that wait so long have come together during the first. */
async function leftMsOf(waitsMs: readonly (number | undefined)[]): Promise<number | undefined> {
  const left: (number | undefined)[] = []
  let letGo = () => {}
  const first = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const transact: Transact = async (keys, change, leftMs) => {
    left.push(leftMs)
    if (left.length === 1) await first
    return change(
      keys.map(() => null),
      1_700_000_000_000_000,
    ).result
  }
  const transactions = new Transactions('map', transact, () => 'mark')
  const all = [50_000, ...waitsMs].map((waitMs) => {
    const expiresAt = waitMs === undefined ? undefined : performance.now() + waitMs
    const caller = expiresAt === undefined ? undefined : { done: false, expiresAt }
    return transactions.run([{ ...check, onStoreFailure: 'local' }], () => undefined, caller)
  })
  letGo()
  await Promise.all(all)
  expect(left).toHaveLength(2)
  return left[1]
}

it('calls that go together have as long as the last of their callers waits', async () => {
  const leftMs = await leftMsOf([10_000, 90_000, 20_000])
  expect(leftMs).toBeGreaterThan(50_000)
  expect(leftMs).toBeLessThanOrEqual(90_000)
})

it('calls that go together have no deadline where one has none, such as a refund', async () => {
  expect(await leftMsOf([10_000, undefined])).toBeUndefined()
})
