import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { HotKeys } from '../../src/ahead/hot-keys.ts'
import { checkOf } from './virtual.ts'

const aheadUs = 20_000
const mostKeys = 10_000

it('one key that is always busy, and came first, takes room from no key that comes when all room is taken', () => {
  const keys = new HotKeys({ adjust: async () => {} }, { aheadUs, clock: manualClock() })
  const policy = gcra({ count: 1000, period: '1s' })
  const of = (key: string) => keys.of({ ...checkOf(policy, aheadUs), key })
  const busy = of('busy')
  busy?.expects(new Promise(() => {}))
  for (let i = 1; i < mostKeys; i++) of(`${i}`)
  const late = Array.from({ length: mostKeys }, (_, i) => of(`late ${i}`))
  // Only the one that met the busy key found no room, and the busy key is still the same.
  expect(late.filter((key) => key === undefined)).toHaveLength(1)
  expect(of('busy')).toBe(busy)
})
