import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from '@jest/globals'
import { metricKeys, metrics, prometheusName } from '../../src/metric-list.ts'
import { program } from '../programs.ts'
import { alertsFile, alertTests, asSent, readAlerts, readDashboard } from './files.ts'

// A program may have to be installed first.
const dashboard = readDashboard()
const alerts = readAlerts()

/** The labels of every series that is exported, by its name. */
const exported = new Map(
  metricKeys.flatMap((key) => {
    const metric = metrics[key]
    const name = prometheusName(metric)
    if (metric.kind !== 'histogram') return [[name, [...metric.labels] as string[]] as const]
    return ['_bucket', '_sum', '_count'].map(
      (end) => [name + end, [...metric.labels, 'le'] as string[]] as const,
    )
  }),
)
/** Prometheus adds them to whatever it reads. */
const added = ['job', 'instance']

const targets = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => [`the panel "${title}"`, expr, legendFormat] as const),
)
const variables = dashboard.templating.list.flatMap(({ name, query }) =>
  typeof query === 'string' ? [] : [[`the variable ${name}`, query.query, ''] as const],
)
const rules = alerts.map(([name, expr]) => [`the alert ${name}`, expr, ''] as const)

function namesIn(expr: string): readonly string[] {
  return expr.match(/\bsluice_\w+/g) ?? []
}

/** What stands in braces before an operator, behind `by` and its like, last in label_values, and in a legend. */
function labelsIn(expr: string, legend: string): readonly string[] {
  const matched = [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)]
  const grouped = [...expr.matchAll(/\b(?:by|on|ignoring|without|group_left|group_right)\s*\(([^)]*)\)/g)]
  const asked = [...expr.matchAll(/^label_values\(.*, (\w+)\)$/g)]
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)]
  return [...matched, ...grouped, ...asked, ...shown]
    .flatMap(([, list = '']) => list.split(/,\s*/))
    .filter(Boolean)
}

test.each([...targets, ...variables, ...rules])('%s asks for what is exported', (_where, expr, legend) => {
  const names = namesIn(expr)
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !exported.has(name))).toEqual([])
  const labels = new Set([...added, ...names.flatMap((name) => exported.get(name) ?? [])])
  expect(labelsIn(expr, legend).filter((label) => !labels.has(label))).toEqual([])
})

test('the dashboard shows every metric', () => {
  const shown = new Set(targets.flatMap(([, expr]) => namesIn(expr)))
  const unseen = [...exported.keys()].filter((name) => !/_(sum|count)$/.test(name) && !shown.has(name))
  expect(unseen).toEqual([])
})

describe('the dashboard', () => {
  const panels = dashboard.panels

  it('has what Grafana asks of one that is imported', () => {
    expect(dashboard).toMatchObject({ title: 'Sluice', uid: 'sluice', schemaVersion: expect.any(Number) })
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  })

  it('has no panel upon another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })

  it('names no data source of its own: it is chosen at the top', () => {
    const sources = [...JSON.stringify(dashboard).matchAll(/"uid":"([^"]+)"/g)].map(([, uid]) => uid)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the chosen one in
    expect(new Set(sources)).toEqual(new Set(['sluice', '${datasource}']))
  })

  /** By which of these all series of a panel are told apart. */
  const toldApart = (exprs: readonly string[]) =>
    ['limiter', 'policy'].filter((label) =>
      exprs.every((expr) => /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/,\s*/).includes(label)),
    )

  it.each(
    panels.flatMap(({ title, targets, fieldConfig }) => {
      const labels = toldApart((targets ?? [{ expr: '' }]).map(({ expr }) => expr))
      return labels.includes('limiter') ? [[title, labels, fieldConfig?.defaults.links] as const] : []
    }),
  )('leads from "%s" to what a series is about, by %j', (_title, labels, links) => {
    const asked = labels.map((label) => `&${label}=\${__field.labels.${label}:percentencode}`)
    expect(links?.map(({ url }) => url)).toEqual([`\${dashboard}#span=900${asked.join('')}`])
  })

  it('leads to the dashboard of Sluice, whose address is written at the top', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the address in
    expect(dashboard.links.map(({ url }) => url)).toEqual(['${dashboard}#span=900'])
    expect(dashboard.templating.list.map(({ name }) => name)).toContain('dashboard')
  })

  it('leaves nothing of its variables in a query', () => {
    expect(targets.filter(([, expr]) => asSent(expr).includes('$'))).toEqual([])
  })
})

describe('the alerts', () => {
  /** What promtool says of the files. */
  function promtool(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(program('promtool'), [...args], { encoding: 'utf8' })
    return { status, said: stdout + stderr }
  }

  it('are rules as Prometheus reads them', () => {
    expect(promtool('check', 'rules', alertsFile)).toEqual({
      status: 0,
      said: expect.stringContaining(`SUCCESS: ${alerts.length} rules found`),
    })
  })

  it('fire when they should, and only then', () => {
    expect(promtool('test', 'rules', alertTests)).toEqual({
      status: 0,
      said: expect.stringContaining('SUCCESS'),
    })
  })

  it.each(alerts.map(([name]) => name))(
    '%s is tested with series that fire it and such as do not',
    (name) => {
      const cases = readFileSync(alertTests, 'utf8')
        .split('- name: ')
        .join('\n')
        .split(/(?=eval_time)/)
      const own = cases.filter((each) => each.includes(`alertname: ${name}`))
      expect(own.some((each) => each.includes('exp_alerts: []'))).toBe(true)
      expect(own.some((each) => each.includes('exp_labels'))).toBe(true)
    },
  )
})
