import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { cellOf } from './measured.ts'

const page = readFileSync(path.resolve(__dirname, '../../../docs/hot-keys.md'), 'utf8')
const flood = '64 at once in each'

/** A cell whose numbers have this many decimal places. */
function rounded(cell: string | undefined, places: number): string {
  return `${cell}`.replace(/\d+\.\d+/g, (number) => Number(number).toFixed(places))
}

test.each([
  ['500', '500 checks a second in each', 2],
  ['4,000', '4,000 checks a second in each', 2],
  ['as many as it can', flood, 3],
])('docs/hot-keys.md says what performance.md does of %s checks a second', (rate, traffic, places) => {
  const section = `One hot key, 4 processes, ${traffic}`
  const of = (column: string) => cellOf({ section, row: 'counter, 20 ms ahead', column })
  const inHand = rounded(of('% from units in hand'), 1).replace(/^\S+/, '$& %')
  const calls = rounded(of('of those of asking each time'), places)
  const pace = traffic === flood ? rounded(of('of asking each time'), 1) : 'the same'
  expect(page).toContain(`| ${rate} | ${inHand} | ${calls} | ${pace} |\n`)
  // Of a rate that all can serve as many are served.
  expect(of('of asking each time')).toMatch(traffic === flood ? /^\d+\.\d\d \(/ : /^1\.00$/)
})

test('and what an admitted check from units in hand takes', () => {
  const of = (row: string) =>
    cellOf({ section: 'What units in hand add to an admitted check', row, column: 'µs' })?.replace(
      ' (',
      ' µs (',
    )
  const [inHand, withCalls] = [
    of('units in hand, beyond memory'),
    of('20 ms ahead with its calls to Redis, beyond memory'),
  ]
  expect(page).toContain(`takes ${inHand} more than one in memory, and with all calls to Redis ${withCalls}.`)
})
