import { describe, expect, test } from '@jest/globals'
import {
  attributedWindow,
  createLimiter,
  fairShare,
  fixedWindow,
  gcra,
  leakyBucket,
  memoryStore,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { page } from './pages.ts'

/** 100 a minute, as somebody writes it who reads no further. */
const window = { limit: 100, window: '1m' } as const
const bucket = { capacity: 100, count: 100, period: '1m' } as const
const policies: Readonly<Record<string, Policy>> = {
  gcra: gcra({ count: 100, period: '1m' }),
  slidingWindowLog: slidingWindowLog(window),
  uniform: uniform({ interval: '600ms' }),
  multiWindow: multiWindow({ limits: [window] }),
  fixedWindow: fixedWindow(window),
  attributedWindow: attributedWindow(window),
  fairShare: fairShare(window),
  slidingWindowCounter: slidingWindowCounter(window),
  tokenBucket: tokenBucket(bucket),
  leakyBucket: leakyBucket(bucket),
}

const minuteUs = 60e6
/** When a client asks that wants as much as it can get: about the end of a minute, and all through the next one. */
const instants = [
  ...[-1, 0, 1].map((us) => minuteUs + us),
  ...Array.from({ length: 1200 }, (_, i) => minuteUs + 50_000 * (i + 1)),
]

/** The instants at which a unit passes, of a client that has taken `first` units at 0 and then all that it gets. */
async function admitted(policy: Policy, first: number): Promise<readonly number[]> {
  const clock = manualClock()
  await clock.advance('40s') // to a whole minute, at which windows by the clock begin
  const limiter = createLimiter({ policy, store: memoryStore({ clock }) })
  const passed: number[] = []
  let nowUs = 0
  const take = async (most: number) => {
    for (let i = 0; i < most && (await limiter.check('bob')).allowed; i++) passed.push(nowUs)
  }
  await take(first)
  for (const atUs of instants) {
    await clock.advance((atUs - nowUs) / 1000)
    nowUs = atUs
    await take(Number.POSITIVE_INFINITY)
  }
  await limiter.close()
  return passed
}

/** The most of them in any minute, of which the last instant belongs to the next. */
function mostInAMinute(passed: readonly number[]): number {
  return Math.max(...passed.map((from) => passed.filter((at) => at >= from && at < from + minuteUs).length))
}

async function worstMinute(policy: Policy): Promise<number> {
  const plays = await Promise.all([0, 1, 100].map((first) => admitted(policy, first)))
  return Math.max(...plays.map(mostInAMinute))
}

/** What a table says under this heading of each strategy in it. */
function columnOf(file: string, heading: string): ReadonlyMap<string, string> {
  const lines = page(file).text.split('\n')
  const head = lines.findIndex((line) => line.startsWith('| strategy |') && line.includes(`| ${heading} |`))
  const at = cellsOf(lines[head]).indexOf(heading)
  const rows = lines.slice(head + 2)
  const table = rows.slice(0, rows.indexOf(''))
  return new Map(
    table.map(cellsOf).flatMap((cells) => namesIn(cells[1]).map((name) => [name, cells[at] ?? ''])),
  )
}

function cellsOf(line = ''): readonly string[] {
  return line.split('|').map((cell) => cell.trim())
}

function namesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(({ 1: name = '' }) => name)
}

const heading = 'of 100 a minute, in the worst minute'
const tables = ['README.md', 'docs/strategies/README.md', 'packages/core/README.md']

describe.each(tables)('the table of strategies of %s', (file) => {
  const said = columnOf(file, heading)

  test('says of each what the worst minute may hold', () => {
    expect([...said.keys()].sort()).toEqual([...Object.keys(policies), 'concurrency'].sort())
  })

  test.each(Object.entries(policies))('says what a client can get from %s', async (name, policy) => {
    const most = Number(said.get(name))
    const got = await worstMinute(policy)
    // The pages count a unit at either end of the minute, which is one more than the minute itself has.
    expect([most - 1, most]).toContain(got)
  })
})

/** How less is had, as the pages say it. */
test.each<[string, Policy, number]>([
  ["gcra({ count: 100, period: '1m', burst: 9 })", gcra({ count: 100, period: '1m', burst: 9 }), 110],
  ["gcra({ count: 100, period: '1m', burst: 0 })", gcra({ count: 100, period: '1m', burst: 0 }), 101],
  ["tokenBucket({ capacity: 10, count: 100, period: '1m' })", tokenBucket({ ...bucket, capacity: 10 }), 110],
])('%s admits no more than the pages say', async (code, policy, most) => {
  expect([most - 1, most]).toContain(await worstMinute(policy))
  expect(page('docs/strategies/README.md').text).toContain(`\`${code}\` admits ${most}`)
})
