import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { cellOf, measured } from './measured.ts'

const docs = path.resolve(__dirname, '../../../docs')
const page = path.join(docs, 'which-limiter.md')

/** A column of the page: a cell of a table of performance.md. */
interface Column {
  readonly title: string
  readonly section: string
  readonly cell: string
}

const beside = 'Beside other libraries: '
const columns: readonly Column[] = [
  { title: 'Redis, 64 at once: a second', section: `${beside}64 at once`, cell: 'a second' },
  { title: 'Redis, one at a time: a second', section: `${beside}One at a time`, cell: 'a second' },
  {
    title: 'Redis, a refused key: a second',
    section: `${beside}64 at once, one refused key`,
    cell: 'a second',
  },
  { title: 'memory, one key: ns', section: 'An awaited check in memory, one key', cell: 'ns' },
]
const rows: Readonly<Record<string, string>> = {
  'Sluice, counter': 'Sluice',
  'express-rate-limit': 'express-rate-limit',
  '@fastify/rate-limit': '@fastify/rate-limit',
  'koa-ratelimit': 'koa-ratelimit',
  'rate-limiter-flexible': 'rate-limiter-flexible',
  '@upstash/ratelimit, fixed window': '@upstash/ratelimit',
}

/** The median, without the quartiles. */
function figure({ section, cell }: Column, row: string): string {
  return cellOf({ section, row, column: cell })?.replace(/ \(.*/, '') ?? '–'
}

function figures(): string {
  const [date] = /^Measured on .*$/m.exec(measured) ?? []
  return [
    date,
    'Medians; a library without a figure in memory counts only in Redis.',
    '',
    `| | ${columns.map(({ title }) => title).join(' | ')} |`,
    `| --- | ${columns.map(() => '---:').join(' | ')} |`,
    ...Object.entries(rows).map(
      ([row, title]) => `| ${title} | ${columns.map((column) => figure(column, row)).join(' | ')} |`,
    ),
  ].join('\n')
}

test('the figures are those of performance.md: SLUICE_WRITE_FIGURES=1 writes them', () => {
  const text = readFileSync(page, 'utf8')
  const expected = text.replace(
    /(<!-- Figures: [^\n]* -->\n)[\s\S]*?(<!-- End of the figures\. -->)/,
    (_, begin, end) => `${begin}\n${figures()}\n\n${end}`,
  )
  if (process.env.SLUICE_WRITE_FIGURES === '1') writeFileSync(page, expected)
  expect(readFileSync(page, 'utf8')).toBe(expected)
  expect(expected).toMatch(/\| Sluice \| [\d,]+ \| [\d,]+ \| [\d,]+ \| [\d,]+ \|/)
})
