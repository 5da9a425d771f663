import { expect, it } from '@jest/globals'
import { sampledStrategies, vectorNames } from '@sluice/conformance'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import * as strategies from '../../src/strategies/list.ts'

it('every strategy has its vectors, its samples and its policy among the others', () => {
  const names = Object.keys(strategies).sort()
  expect([...vectorNames].sort()).toEqual(names)
  expect([...sampledStrategies].sort()).toEqual(names)
  // What is in flight is not counted in a window, and stands by itself wherever policies are listed.
  expect([...Object.keys(everyStrategy(1, '1m')), 'concurrency'].sort()).toEqual(names)
})
