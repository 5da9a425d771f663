import { expect, it } from '@jest/globals'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import { vectorNames } from '@sluice/conformance/internal'
import { declaredStrategies } from '../../src/internal/index.ts'
import * as strategies from '../../src/strategies/list.ts'

const names = Object.keys(strategies).sort()

it('every strategy has its vectors, its declared options and its policy among the others', () => {
  expect([...vectorNames].sort()).toEqual(names)
  expect([...declaredStrategies.keys()].sort()).toEqual(names)
  expect(Object.keys(everyStrategy(1, '1m')).sort()).toEqual(names)
})

it.each([...declaredStrategies.values()])('$name says what passes and what each option is', (strategy) => {
  const texts = [strategy.about, ...Object.values(strategy.options).map(({ about }) => about)]
  expect(texts.filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([])
  expect(texts.length).toBeGreaterThan(1)
})
