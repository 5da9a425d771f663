import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, test } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { Registry } from 'prom-client'
import { prometheus } from '../../src/index.ts'
import { sources, traffic } from '../traffic.ts'
import { asSent, readAlerts, readDashboard } from './files.ts'
import { Prometheus, until } from './server.ts'

// A program may have to be installed first.
const root = path.resolve(__dirname, '../../../..')
const zooProgram = bundled(path.join(root, 'examples/zoo/src/main.ts'))

let site: Server
let endTraffic: () => Promise<void>
let zoo: { readonly child: ChildProcess; readonly url: string }
let server: Prometheus

/** What a user writes: every metric has moved, and the store of one limiter is away. */
async function startSite(): Promise<Server> {
  const register = new Registry()
  endTraffic = await traffic([prometheus({ register, ...sources })])
  const site = createServer(async (_request, response) => {
    response.setHeader('Content-Type', register.contentType).end(await register.metrics())
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  return site
}

async function startZoo(): Promise<typeof zoo> {
  const args = [await zooProgram(), '--port', '0']
  const env = { ...process.env, FRAMEWORK: '', PORT: '', REDIS_URL: '', LIMITS: '', INIT_CWD: '' }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const url = await until('zoo', async () => {
    if (child.exitCode !== null) throw new Error(`the zoo has ended:\n${said}`)
    return /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
  })
  return { child, url }
}

beforeAll(async () => {
  ;[site, zoo] = await Promise.all([startSite(), startZoo()])
  const address = site.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  server = await Prometheus.start({ site: `127.0.0.1:${port}`, zoo: new URL(zoo.url).host })
  // A rate needs two readings, and `up` is there for a scrape that failed, too.
  await until('second scrape', async () => {
    const scrapes = await server.query('sum_over_time(up[1m]) > 1 and up == 1')
    return scrapes.length === 2 ? true : undefined
  })
})

afterAll(async () => {
  await server?.stop()
  zoo?.child.kill('SIGKILL')
  await endTraffic?.()
  site?.close()
  site?.closeAllConnections()
})

const queries = readDashboard().panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, asSent(expr)] as const),
)

test.each(queries)('the panel "%s" finds what a real process exports: %s', async (_title, expr) => {
  // While a scrape has failed, as on a busy machine, nothing is there.
  await until('series', async () => ((await server.query(expr)).length > 0 ? true : undefined))
})

test('every alert is evaluated without an error, and the one of a store that is away is under way', async () => {
  const rules = await until('evaluation', async () => {
    const rules = await server.rules()
    const pending = rules.flatMap(({ name, alerts }) =>
      alerts.map(({ state, labels }) => [name, state, labels.store]),
    )
    const pendingAway = pending.some((each) => each.join(' ') === 'SluiceStoreDown pending away')
    return pendingAway && rules.every(({ health }) => health !== 'unknown') ? rules : undefined
  })
  expect(rules.map(({ name, health, lastError = '' }) => [name, health, lastError])).toEqual(
    readAlerts().map(([name]) => [name, 'ok', '']),
  )
})

it('the zoo reports to Prometheus what its visitors were answered', async () => {
  const body = JSON.stringify({ visitor: 'ann' })
  const headers = { 'Content-Type': 'application/json' }
  const statuses: number[] = []
  for (let i = 0; i < 10; i++) {
    const answer = await fetch(`${zoo.url}/attractions/tiger/tickets`, { method: 'POST', headers, body })
    statuses.push(answer.status)
  }
  const refused = statuses.filter((status) => status === 429).length
  expect(refused).toBeGreaterThan(0)
  const counted = 'sum(sluice_decisions_total{job="zoo", outcome="refused", reason="limited"})'
  await until(`count of ${refused} refusals`, async () => {
    const [sum] = await server.query(counted)
    return Number(sum?.value[1]) === refused ? true : undefined
  })
})
