import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import stringWidth from 'string-width'
import { folderWith, program } from './sluice.ts'

const run = promisify(execFile)

/** Names as long and as wide as those of users are. */
const line = (user: string, second: number) =>
  JSON.stringify({
    time: `2026-01-01T00:00:0${second}Z`,
    ip: '2001:db8:1234:5678::1',
    user,
    顧客: user,
    method: 'GET',
    path: '/',
    status: 200,
  })
const users = ['東京都の利用者', 'a👩‍👩‍👧‍👦b', 'ein-sehr-langer-name-ohne-leerzeichen@example.org']
const log = users.flatMap((user) => [1, 2, 3].map((second) => line(user, second))).join('\n')

const mark = '-- and then --'
/** Runs one command line after the other, as a program of its own each would: they begin in no time. */
const inTurn = `
  const [, , program, ...lines] = process.argv
  for (const [i, line] of lines.entries()) {
    process.argv.splice(1, Infinity, program, ...JSON.parse(line))
    await import(program + '?' + i)
    console.log('${mark}')
  }
`

let folder = ''
beforeAll(() => {
  folder = folderWith({ 'access.log': `${log}\n`, 'in-turn.mjs': inTurn })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What each command prints, line by line, on a terminal this many columns wide. `script`, from util-linux, makes the terminal. */
async function onTerminal(
  columns: number,
  commands: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const lines = commands.map((args) => JSON.stringify(args))
  const words = [process.execPath, 'in-turn.mjs', await program(), ...lines].map((word) => `'${word}'`)
  const command = `stty cols ${columns} rows 40; exec ${words.join(' ')} 2>/dev/null`
  const { stdout } = await run('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm-256color' },
  })
  // A bar is drawn over itself, and what it was is erased.
  const shown = stdout
    .split('\n')
    .map((each) => stripVTControlCharacters(each).replace(/\r$/, '').split('\r').at(-1) ?? '')
  const ends = shown.flatMap((each, i) => (each === mark ? [i] : []))
  return ends.map((end, i) => shown.slice(i === 0 ? 0 : (ends[i - 1] ?? 0) + 1, end))
}

const widest = (lines: readonly string[]): number => Math.max(...lines.map((each) => stringWidth(each)))
const isTable = (each: string): boolean => /^[┌├│└]/.test(each)

const comparisons = [
  ['ip', 'slidingWindowLog:2/1m'],
  ['user', 'slidingWindowLog:2/1m'],
  ['field:顧客', 'tokenBucket:2/1m,capacity=2'],
] as const
const crowdTests = ['log', 'gang', 'slidingWindowCounter']

describe.each([60, 80, 120])('on a terminal of %d columns', (columns) => {
  let shownBy: readonly (readonly string[])[] = []
  beforeAll(async () => {
    shownBy = await onTerminal(columns, [
      ...comparisons.map(([key, policy]) => ['compare', 'access.log', '--key', key, '--policy', policy]),
      ['crowd', '10', '5', '--seconds', '1', '--only', ...crowdTests],
    ])
  })

  it.each(comparisons.map(([key, policy], i) => [key, policy, i] as const))(
    'sluice compare by %s fits, with %s',
    (_key, _policy, nth) => {
      const lines = shownBy[nth] ?? []
      expect(lines.join('\n')).toContain('refuses')
      expect(widest(lines)).toBeLessThanOrEqual(columns)
      const table = lines.filter(isTable)
      // Where not even the numbers have room, each row is a list.
      if (columns < 80) expect(lines.filter((each) => /^ {4}admitted +\d$/.test(each))).toHaveLength(3)
      else expect(table.length).toBeGreaterThan(5)
      // All lines of a table end at one column.
      expect(new Set(table.map((each) => stringWidth(each))).size).toBe(columns < 80 ? 0 : 1)
      // What has no column has a line.
      const text = lines.join(' ').replace(/ +/g, ' ')
      expect(text).toMatch(/busiest second/)
      expect(text).toMatch(/ [12] of [12] in 1 min, (2001:db8|東京都)|\d of \d in 10 s, 東京都/)
    },
  )

  it('sluice crowd fits', () => {
    const lines = shownBy[comparisons.length] ?? []
    const table = lines.filter(isTable)
    for (const name of crowdTests) expect(table.join('\n')).toContain(`│ ${name} `)
    const shown = lines.slice(lines.findIndex(isTable))
    expect(widest(shown)).toBeLessThanOrEqual(columns)
    expect(new Set(table.map((each) => stringWidth(each))).size).toBe(1)
    expect(shown.filter((each) => /^ +0 s +\d+ s/.test(each))).toHaveLength(3)
  })
})

it('prints all columns where no width is known, as in a pipe', async () => {
  const args = [await program(), 'compare', 'access.log', '--policy', 'slidingWindowLog:2/1m']
  const { stdout } = await run(process.execPath, args, { cwd: folder })
  expect(stdout).toMatch(/│ busiest second │ fullest window +│/)
})
