import { expect, it } from '@jest/globals'
import fc from 'fast-check'

const seed = Number(process.env.SLUICE_TEST_SEED ?? 20_261_121)

it('is one for all properties, and a failed one prints it', () => {
  const fails = fc.property(fc.integer(), () => false)
  expect(() => fc.assert(fails)).toThrow(`{ seed: ${seed}, path: "0`)
})

it('lets a property of many runs play a hundred and a tenth of them, and the trials all', () => {
  const all = process.env.SLUICE_TEST_HISTORIES === 'all'
  for (const [numRuns, played] of [
    [60, 60],
    [100, 100],
    [20_000, 2100],
  ] as const) {
    let runs = 0
    fc.assert(
      fc.property(fc.integer(), () => void runs++),
      { numRuns },
    )
    expect(runs).toBe(all ? numRuns : played)
  }
})

it('makes texts of any character, and none of half of one', () => {
  const texts = fc.sample(fc.string({ unit: 'binary' }), 1000)
  expect(texts.filter((text) => Buffer.from(text).toString() !== text)).toEqual([])
  for (const rare of [/[\x80-\ud7ff]/, /[\ue000-\uffff]/, /[\u{10000}-\u{10ffff}]/u])
    expect(texts.some((text) => rare.test(text))).toBe(true)
  // Names that every object has are more likely than by chance.
  expect(texts).toContain('__proto__')
  const { counterexample } = fc.check(fc.property(fc.string({ unit: 'binary' }), (text) => text < '\ue000'))
  expect(counterexample).toEqual(['\ue000'])
})
