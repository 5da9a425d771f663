import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'

// The compiler reads Grafana's types.
const telemetry = path.resolve(__dirname, '../..')
const root = path.resolve(telemetry, '../..')
const written = readFileSync(path.join(telemetry, 'ops/grafana-dashboard.json'), 'utf8')

/** What Grafana would not know, or not find. */
const mistakes: readonly (readonly [what: string, from: string, to: string])[] = [
  ['a mode of legends that there is not', '"displayMode": "list"', '"displayMode": "lists"'],
  ['a name of an option that there is not', '"fillOpacity": 20', '"fillOpacities": 20'],
  ['a query without its expression', '"expr": "sum by (outcome)', '"query": "sum by (outcome)'],
  ['a panel without a place', '"gridPos"', '"position"'],
  ['a type of panel that there is not', '"type": "heatmap"', '"type": "heat-map"'],
  ['a text in place of a number', '"graphTooltip": 1', '"graphTooltip": "shared"'],
]

const folder = path.join(telemetry, '.tmp')
let place = ''
let said = ''

const moduleOf = (dashboard: string) =>
  `import type { Dashboard } from '../../test/ops/grafana-types.ts'\nexport const dashboard: Dashboard = ${dashboard}`

/** All in one run of the compiler. */
beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  place = mkdtempSync(path.join(folder, 'grafana-'))
  const compilerOptions = { noEmit: true, declaration: false, isolatedDeclarations: false }
  const config = { extends: path.join(root, 'tsconfig.base.json'), include: ['*.ts'], compilerOptions }
  writeFileSync(path.join(place, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(path.join(place, 'ours.ts'), moduleOf(written))
  for (const [at, [, from, to]] of mistakes.entries())
    writeFileSync(path.join(place, `wrong${at}.ts`), moduleOf(written.replace(from, to)))
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  said = spawnSync(tsc, ['-p', place], { cwd: place, encoding: 'utf8' }).stdout
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

const saidOf = (file: string) => said.split(/\n(?=\S)/).filter((each) => each.includes(`${file}.ts(`))

it('is a dashboard by the schema that Grafana publishes', () => {
  expect(saidOf('ours')).toEqual([])
})

it.each(mistakes.map(([what, from], at) => [what, from, at] as const))('finds %s', (_what, from, at) => {
  expect(written).toContain(from)
  expect(saidOf(`wrong${at}`)).not.toEqual([])
})
