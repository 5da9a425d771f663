import { expect, it } from '@jest/globals'
import { sampledStrategies, vectorNames } from '@sluice/conformance'
import * as strategies from '../../src/strategies/list.ts'

it('every strategy has its vectors and its samples', () => {
  const names = Object.keys(strategies).sort()
  expect([...vectorNames].sort()).toEqual(names)
  expect([...sampledStrategies].sort()).toEqual(names)
})
