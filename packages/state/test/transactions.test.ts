import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import { type Transact, Transactions } from '../src/transactions.ts'

const policy = gcra({ count: 5, period: '1h' })
const check = { id: 'a:gc', policy, key: 'k', cost: 1, note: undefined, shadow: false } as const

it('calls that go together have as long as the last of their callers waits', async () => {
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
  const ask = (waitsMs: number) => {
    const caller = { done: false, expiresAt: performance.now() + waitsMs }
    return transactions.run([{ ...check, onStoreFailure: 'local' }], () => undefined, caller)
  }
  const all = [ask(50_000), ask(10_000), ask(90_000), ask(20_000)]
  letGo()
  await Promise.all(all)
  expect(left).toHaveLength(2)
  expect(left[1]).toBeGreaterThan(50_000)
  expect(left[1]).toBeLessThanOrEqual(90_000)
})
