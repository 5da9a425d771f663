import { expect, it } from '@jest/globals'
import { actOf, textOf } from '../src/act-text.ts'

const act = { act: 'reset', limiter: 'zoo', key: 'bob', atMs: 0 } as const
const names = (count: number) => Array.from({ length: count }, (_, i) => `policy ${i}`)

it.each([
  [20, names(20)],
  [21, []],
])(
  'of %d policies an act names each, or none, which means all: the last ones are not left out',
  (count, named) => {
    expect(actOf(textOf({ ...act, policies: names(count) }, 'here'))?.act.policies).toEqual(named)
  },
)
