import { expect, it } from '@jest/globals'
import { readOptions } from '../src/options.ts'

it('seeds, a first one and minutes', () => {
  expect(readOptions([])).toMatchObject({ seeds: 10_000, from: 1, seed: undefined, fixed: false })
  expect(readOptions(['--seeds', '500', '--from', '7'])).toMatchObject({ seeds: 500, from: 7 })
  expect(readOptions(['--minutes', '2']).seeds).toBeGreaterThan(1_000_000)
  expect(readOptions(['--seed', '42'])).toMatchObject({ seed: 42 })
})

it.each([
  ['--seeds', 'many'],
  ['--from', '-1'],
  ['--minutes', '1.5'],
])('%s %s is refused', (name, value) => {
  expect(() => readOptions([`${name}=${value}`])).toThrow(`${name} takes a whole number, not "${value}"`)
})

it('an unknown option is refused', () => {
  expect(() => readOptions(['--sneeds', '5'])).toThrow("Unknown option '--sneeds'")
})
