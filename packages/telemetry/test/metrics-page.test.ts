import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, test } from '@jest/globals'
import { type Metric, metricKeys, metrics, opentelemetryName, prometheusName } from '../src/metric-list.ts'
import { readAlerts } from './ops/files.ts'

const file = path.resolve(__dirname, '../../../docs/metrics.md')
const begin = '<!-- Metrics: written from packages/telemetry/src/metric-list.ts, not by hand. -->'
const end = '<!-- End of the metrics. -->'

function rowOf(metric: Metric): string {
  const names = [prometheusName(metric), opentelemetryName(metric)].map((name) => `\`${name}\``)
  const labels = metric.labels.map((label) => `\`${label}\``).join(', ')
  return `| ${[...names, metric.kind, metric.unit, labels, metric.over, metric.help].join(' | ')} |`
}

function table(): string {
  const head = [
    '| Prometheus | OpenTelemetry | kind | unit | labels | over processes | what it counts |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ]
  return [...head, ...metricKeys.map((key) => rowOf(metrics[key]))].join('\n')
}

/** The page, in its parts: what stands before the table, the table, and what comes behind it. */
function readPage(): readonly [before: string, table: string, after: string] {
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split(begin)
  const [table = '', after = ''] = rest.split(end)
  return [before, table.trim(), after]
}

// SLUICE_WRITE_METRICS=1 npm test -- metrics-page writes the table.
if (process.env.SLUICE_WRITE_METRICS === '1') {
  const [before, , after] = readPage()
  writeFileSync(file, `${before}${begin}\n\n${table()}\n\n${end}${after}`)
}

test('docs/metrics.md lists the metrics that there are', () => {
  const [, written, after] = readPage()
  expect(written).toBe(table())
  expect(after).not.toBe('')
})

it('docs/metrics.md says of each alert what it means, and of no other', () => {
  const alerts = readAlerts().map(([name]) => name)
  const [, , after] = readPage()
  const headings = [...after.matchAll(/^### `(Sluice\w+)`$/gm)].map(([, name]) => name)
  const rows = [...after.matchAll(/^\| \[`(Sluice\w+)`\]/gm)].map(([, name]) => name)
  expect(headings).toEqual(alerts)
  expect(rows).toEqual(alerts)
})
