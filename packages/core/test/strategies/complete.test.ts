import { expect, it } from '@jest/globals'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import { vectorNames } from '@sluice/conformance/internal'
import { concurrency, type StrategyDraft } from '../../src/index.ts'
import { declaredStrategies } from '../../src/strategies/declared.ts'
import * as strategies from '../../src/strategies/list.ts'
import { partsOf } from '../../src/strategies/policy-parts.ts'

const names = Object.keys(strategies).sort()

it('every strategy has its vectors, its declared options and its policy among the others', () => {
  expect([...vectorNames].sort()).toEqual(names)
  expect([...declaredStrategies.keys()].sort()).toEqual(names)
  expect(Object.keys(everyStrategy(1, '1m')).sort()).toEqual(names)
})

it('no two strategies have one code: scripts find them by it, and states have it in their names', () => {
  const codes = Object.values(everyStrategy(1, '1m')).map((policy) => partsOf(policy).definition.code)
  expect(codes.length).toBe(names.length)
  expect(new Set(codes).size).toBe(codes.length)
})

it('what has ended is not kept in memory: a lease that nobody has released', () => {
  const { definition, numbers } = partsOf(concurrency({ limit: 5, lease: '10s' }))
  let state: { readonly leases: ReadonlyMap<string, unknown> } | undefined
  const kept: (number | undefined)[] = []
  for (const nowUs of [0, 6_000_000, 12_000_000, 18_000_000]) {
    const draft: StrategyDraft = definition.look(numbers, state, nowUs, 1)
    state = definition.take(state, draft, { nowUs, id: String(nowUs), note: '' }) as typeof state // as it keeps them
    kept.push(state?.leases.size)
  }
  expect(kept).toEqual([1, 2, 2, 2])
})

it.each([...declaredStrategies.values()])('$name says what passes and what each option is', (strategy) => {
  const texts = [strategy.about, ...Object.values(strategy.options).map(({ about }) => about)]
  expect(texts.filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([])
  expect(texts.length).toBeGreaterThan(1)
})
