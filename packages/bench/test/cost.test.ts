import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from '@jest/globals'
import { ids, latencyIds, memoryIds } from '../src/asking/parts.ts'
import { areApart, isMeasurable } from '../src/believed.ts'
import { coldId } from '../src/cold.ts'
import { costPicture, costTable } from '../src/cost.ts'
import { judgeFloors } from '../src/floors.ts'
import { frameworks, httpId } from '../src/http/sections.ts'
import { installedId } from '../src/installed.ts'
import type { Machine } from '../src/machine.ts'
import { reportMarkdown } from '../src/report.ts'
import type { Spread } from '../src/rounds.ts'
import { asPrinted, type Section } from '../src/section.ts'

const docs = path.resolve(__dirname, '../../../docs')
const measured = read('performance.md')

function read(file: string): string {
  return readFileSync(path.join(docs, file), 'utf8')
}

/** Sections of the page that floors and the picture are made from, by their titles. */
const titles: Readonly<Record<string, string>> = {
  'Beside other libraries: One at a time': ids.oneAtATime,
  'Beside other libraries: 64 at once': ids.atOnce,
  'Beside other libraries: 512 at once': ids.crowd,
  'Beside other libraries: 64 at once, one key': ids.oneKey,
  'Beside other libraries: 64 at once, one refused key': ids.refused,
  'Growth from one policy to ten, 64 at once': ids.policies,
  'The first 1,000 checks of a process': coldId,
  'Latency of a check through Redis, 2,000 a second, evenly': latencyIds.evenly,
  'Latency of a check through Redis, 2,000 a second, in bursts of 50': latencyIds.bursts,
  'An awaited check in memory, one key': memoryIds.one,
  'An awaited check in memory, 100,000 keys': memoryIds.many,
  'An awaited check in memory, one refused key': memoryIds.refused,
  ...Object.fromEntries(frameworks.map((each) => [`A request of ${each}, 64 connections`, httpId(each)])),
  'What is installed, without the framework': installedId,
  'CPU time of `import` in a new process': 'load-import',
}

function sectionOf([title, id]: readonly [string, string]): Section {
  const [, text = ''] = measured.split(`\n### ${title}\n`)
  const [head = [], , ...rows] = (text.split('\n### ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const columns = head.slice(1).map((name, i) => ({ name, places: placesIn(rows[0]?.[i + 1]) }))
  return {
    id,
    title,
    columns,
    rows: rows.map(([name = '', ...cells]) => ({ name, cells: cells.map(spreadIn) })),
  }
}

function placesIn(cell = ''): number {
  return /^[\d,]+\.(\d+)/.exec(cell.replace(/^-/, ''))?.[1]?.length ?? 0
}

function spreadIn(cell: string): Spread {
  const [median = Number.NaN, low = median, high = median] = [
    ...cell.replaceAll(',', '').matchAll(/-?\d+(?:\.\d+)?/g),
  ].map(Number)
  return { median, low, high }
}

const sections = Object.entries(titles).map(sectionOf)

function machine(): Machine {
  const [, day = '', node = '', redis = '', cores, processor = '', system = '', over = ''] =
    /^Measured on (\S+) with Node (\S+) and Redis (\S+) on (\d+) cores \((.*), (.*)\), over (.*)\.$/m.exec(
      measured,
    ) ?? []
  return { day, node, redis, over, cores: Number(cores), processor, system }
}

const report = { machine: machine(), sections, floors: judgeFloors(sections), targets: [] }

/** Of the page's own words nothing: what stands between the marks. */
function writtenIn(text: string): string {
  return /<!-- Measured: .*-->\n\n([\s\S]*?)\n\n<!-- End of what was measured/.exec(text)?.[1] ?? ''
}

function floorsIn(text: string): string {
  return /^### Floors and goals\n\n\|[\s\S]*?(?=\n\n### )/m.exec(text)?.[0] ?? ''
}

if (process.env.SLUICE_WRITE_FIGURES === '1') {
  const write = (file: string, text: string) => writeFileSync(path.join(docs, file), text)
  const cost = read('cost.md')
  write(
    'cost.md',
    cost.replace(writtenIn(cost), () => costTable(report)),
  )
  write('images/cost.svg', costPicture(report))
  write(
    'performance.md',
    measured.replace(floorsIn(measured), () => floorsIn(reportMarkdown(report))),
  )
}

describe('what is made of the figures of docs/performance.md', () => {
  it('is the table of docs/cost.md', () => expect(writtenIn(read('cost.md'))).toBe(costTable(report)))

  it('is the picture of docs/cost.md', () => expect(read('images/cost.svg')).toBe(costPicture(report)))

  it('is its table of floors', () =>
    expect(floorsIn(read('performance.md'))).toBe(floorsIn(reportMarkdown(report))))
})

test('figures are judged and drawn as they are printed', () => {
  const columns = [
    { name: 'µs', places: 1 },
    { name: 'a second', places: 0 },
  ]
  const cells = [
    { median: 1.25, low: 1.04, high: -0.96 },
    { median: 1234.5, low: 0.4, high: 2 },
  ]
  const { rows } = asPrinted({ id: 'x', title: 'x', columns, rows: [{ name: 'Sluice', cells }] })
  expect(rows[0]?.cells).toEqual([
    { median: 1.3, low: 1, high: -1 },
    { median: 1235, low: 0, high: 2 },
  ])
})

describe('a figure', () => {
  // biome-ignore format: a table
  it.each<[Spread, Spread, boolean]>([
    // over the bare framework               the bare framework over itself         measurable
    [{ median: 10, low: 9, high: 11 },       { median: 0, low: -2, high: 2 },       true],
    [{ median: 10.6, low: -2.5, high: 35.7 }, { median: -10.5, low: -13.8, high: 22.3 }, false],
    [{ median: 24.9, low: 21.5, high: 48.5 }, { median: -10.5, low: -13.8, high: 22.3 }, false],
    [{ median: 4, low: 3, high: 5 },         { median: -3, low: -4, high: -2 },     false],
  ])('%j over %j is measurable: %j', (spread, bare, expected) => {
    expect(isMeasurable(spread, bare)).toBe(expected)
  })

  it('is told apart from another where half of the rounds of each are on one side', () => {
    const of = (low: number, high: number) => ({ median: (low + high) / 2, low, high })
    expect([
      areApart(of(1, 2), of(3, 4)),
      areApart(of(3, 4), of(1, 2)),
      areApart(of(1, 3), of(2, 4)),
    ]).toEqual([true, true, false])
  })
})
