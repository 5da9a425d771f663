import { expect, it } from '@jest/globals'
import { fixedWindow } from '../../src/index.ts'
import { shadowsLast } from '../../src/redis/by-slot.ts'
import { checkOf } from './real-store.ts'

it('slots of shadow policies alone are asked last, the others in their order', () => {
  const policy = fixedWindow({ limit: 5, window: '1m' })
  const [binds, shadow] = [checkOf(policy), checkOf(policy, { shadow: true })]
  const groups = [[shadow], [binds], [shadow, binds]].map((checks, slot) => ({
    slot,
    key: '',
    checks,
    places: [],
  }))
  expect(shadowsLast(groups).map(({ slot }) => slot)).toEqual([1, 2, 0])
})
