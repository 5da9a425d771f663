import { isDeepStrictEqual } from 'node:util'
import { monotonicClock } from '@sluice/core/internal'
import type { Transact } from '../src/transactions.ts'

/** States in a Map, one transaction at once. As a database may, it tries each transaction twice. */
export function mapOfStates(): { readonly transact: Transact; readonly states: Map<string, string> } {
  const states = new Map<string, string>()
  const transact: Transact = async (keys, change) => {
    await undefined
    const texts = keys.map((key) => states.get(key) ?? null)
    const nowUs = monotonicClock.nowUs()
    const first = change(texts, nowUs)
    const { result, writes } = change(texts, nowUs)
    if (!isDeepStrictEqual(first, { result, writes }))
      throw new Error('a second attempt comes to something else')
    for (const { key, state } of writes) {
      if (!keys.includes(key)) throw new Error(`${key} was not read`)
      if (state === null) states.delete(key)
      else states.set(key, state)
    }
    return result
  }
  return { transact, states }
}
