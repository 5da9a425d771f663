import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { freePort } from '@sluice/faults/outage'
import { killPrograms, type Program, until } from '../program.ts'
import { startRedis } from '../redis.ts'
import { buy, type RunningZoo, startZoo } from '../zoo.ts'
import { Compared } from './compared.ts'
import { Ledger } from './ledger.ts'

const root = path.resolve(__dirname, '../../../..')
const page = readFileSync(path.join(root, 'docs/incident.md'), 'utf8')
const sluiceProgram = bundled(path.join(root, 'packages/cli/src/main.ts'))
const folder = mkdtempSync(path.join(tmpdir(), 'incident-'))
const password = 'tiger/s3cret'
let port = 0
let redis: Program
let zoos: readonly RunningZoo[] = []
/** All requests of this file go through it. */
const ledger = new Ledger()
let compared: Compared

const startServer = () => startRedis(port, '--requirepass', password)

beforeAll(async () => {
  port = await freePort()
  redis = await startServer()
  await writeFolder()
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}`
  const flags = ['--redis', url, '--lists', path.join(folder, 'lists.yaml')]
  const [early, late] = await Promise.all([
    startZoo('--framework', 'fastify', ...flags),
    startZoo('--framework', 'koa', ...flags),
  ])
  zoos = [early, late]
  compared = new Compared({ early, late, ledger, shell })
  // No zoo waits for it before it sells tickets.
  await until('both zoos to be seen', async () => {
    const { code, out } = await shell('sluice top --once --json')
    return code === 0 && JSON.parse(out).processes.length === zoos.length
  })
})

afterAll(killPrograms)

/** What the commands find where they are typed: npx brings the command line as it is built here. */
async function writeFolder(): Promise<void> {
  const command = path.join(folder, 'npx')
  const words = 'until [ "$1" = sluice ]; do shift; done; shift'
  writeFileSync(command, `#!/bin/sh\n${words}\nexec "${process.execPath}" "${await sluiceProgram()}" "$@"\n`)
  chmodSync(command, 0o755)
  const limits = 'schema:\n  user:\n    children:\n      "*":\n        limits: [15, 30, 60]\n'
  writeFileSync(path.join(folder, 'limits.yaml'), limits)
  writeFileSync(path.join(folder, 'lists.yaml'), 'lists:\n')
}

const linesOf = (section: string) =>
  [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) => code.trim().split('\n'))

/** What is typed first, and the commands of each section. */
const [before1st = '', ...others] = page.split(/^## /m)
const setup = linesOf(before1st)
const sections = others.map((section) => ({
  title: section.slice(0, section.indexOf('\n')),
  commands: linesOf(section),
}))

/** The page's server and network as this machine has them: any address that begins with 127 is its own. */
const here = (text: string) =>
  text
    .replaceAll('rediss://redis.zoo.example', `redis://127.0.0.1:${port}`)
    .replaceAll('203.0.113.', '127.0.113.')

/** A line as it stands on the page, behind those that set a shell up. */
async function shell(command: string): Promise<{ code: unknown; said: string; out: string }> {
  const PATH = `${folder}:${process.env.PATH}`
  const env = { PATH, HOME: folder, USER: 'alice', REDIS_PASSWORD: password }
  const lines = here([...setup, command].join('\n'))
  const child = spawn('sh', ['-c', lines], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, wrong, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, said: out + wrong, out }
}

async function statusesOf(visitor: string, attraction = 'tiger'): Promise<readonly unknown[]> {
  const order = (zoo: RunningZoo) => ledger.send(zoo, attraction, () => buy(zoo, attraction, { visitor }))
  return Promise.all(zoos.map(order))
}

/** What both processes say to a client at this address. */
async function statusesFrom(localAddress: string, attraction = 'penguin'): Promise<readonly unknown[]> {
  async function order({ url }: RunningZoo): Promise<{ status: unknown }> {
    const headers = { 'X-Visitor': 'ann' }
    const to = `${url}/attractions/${attraction}/tickets`
    const [answer] = await once(request(to, { method: 'POST', localAddress, headers }).end(), 'response')
    answer.resume()
    return { status: answer.statusCode }
  }
  return Promise.all(zoos.map((zoo) => ledger.send(zoo, attraction, () => order(zoo))))
}

const refusedByAll = [429, 429]

/** What each section begins with. */
const before: { readonly [title: string]: () => Promise<unknown> } = {
  'Somebody floods us': async () => {
    for (let i = 0; i < 4; i++) await statusesOf('mallory')
    await compared.top()
    await compared.inspect()
  },
  'Somebody important is refused': async () => {
    await statusesOf('carol')
    await shell('sluice block carol 1h --why "a mistake"')
    await shell('sluice refuse carol 1h --why "another mistake"')
  },
  // What was done by hand before was in a Redis that is gone.
  'A deployment went wrong': () => shell('sluice block eve 10m --why "it seemed to help"'),
  'Redis is away': async () => {
    // The other process has no page before the alert.
    await compared.earlyPage()
    await redis.kill()
    ledger.phase = 'away'
    await until('both zoos to notice', async () => {
      const statuses = await statusesOf('ann', 'penguin')
      return statuses.every((status) => status === 201)
    })
    for (let i = 0; i < 3; i++) await statusesOf('mallory')
  },
}

/** What each section ends with. */
const atItsEnd: { readonly [title: string]: () => Promise<unknown> } = {
  'Redis is away': async () => {
    await compared.pagesInTheOutage()
    redis = await startServer()
    ledger.phase = 'after'
    await until('both zoos to be back', async () => {
      const { code, out } = await shell('sluice top --once --json')
      if (code !== 0) return false
      const { processes } = JSON.parse(out)
      return processes.length === zoos.length && processes.every(isBack)
    })
  },
  'A deployment went wrong': () => compared.pagesAfterIt(),
}

const isBack = ({ seen }: { seen: { away: readonly string[] } | null }) => seen?.away.length === 0

/** While Redis is away its own commands cannot do what they say, and exit so. */
const awayCodes: { readonly [command: string]: number } = {
  'redis-cli -u "$REDIS_URL" ping': 1,
  'sluice top --once': 3,
}

const scanCarol = 'redis-cli -u "$REDIS_URL" --scan --pattern \'sl3:{carol}:*\''

/** What a command must have said. */
const says: { readonly [command: string]: RegExp } = {
  'redis-cli -u "$REDIS_URL" ping': /^PONG$/m,
  'redis-cli -u "$REDIS_URL" client list': /^id=\d+ /m,
  'redis-cli -u "$REDIS_URL" info memory': /^used_memory:\d+/m,
  'redis-cli -u "$REDIS_URL" info commandstats': /^cmdstat_/m,
  'redis-cli -u "$REDIS_URL" config get maxmemory-policy': /noeviction/,
  'redis-cli -u "$REDIS_URL" config set maxmemory 2gb': /^OK$/m,
  'redis-cli -u "$REDIS_URL" config set maxmemory 0': /^OK$/m,
  [`${scanCarol} | xargs -rd '\\n' redis-cli -u "$REDIS_URL" del`]: /^[1-9]/m,
}

/** What holds once a command has run. */
const after: { readonly [command: string]: () => Promise<unknown> } = {
  'sluice block mallory 1h --why "flood"': async () => {
    expect(await blockedIn('mallory')).toBe(true)
    expect(await statusesOf('mallory')).toEqual(refusedByAll)
  },
  'sluice deny 203.0.113.0/24 1h --why "flood"': async () => {
    for (const address of ['203.0.113.9', '203.0.113.200'])
      await until('a denial by both', async () => String(await statusesFrom(here(address))) === '403,403')
    expect(await statusesFrom(here('203.0.113.9'), 'aquarium')).toEqual([403, 403])
    for (const attraction of ['penguin', 'aquarium'])
      expect(await statusesFrom('127.0.0.1', attraction)).toEqual([201, 201])
  },
  'sluice unlist 203.0.113.0/24': () =>
    until('tickets by both', async () => String(await statusesFrom(here('203.0.113.9'))) === '201,201'),
  'echo "  - { list: deny, address: 203.0.113.0/24, until: $(date -u -d 1hour +%FT%RZ), why: flood }" >> lists.yaml':
    () =>
      until('a denial by both', async () => String(await statusesFrom(here('203.0.113.9'))) === '403,403'),
  "sed -i '/203.0.113.0/d' lists.yaml": () =>
    until('tickets by both', async () => String(await statusesFrom(here('203.0.113.9'))) === '201,201'),
  'sluice unblock mallory': async () => expect(await blockedIn('mallory')).toBe(false),
  'sluice reset carol --limiter tiger --yes --why "a customer, see ticket 4711"': () =>
    until('a ticket for carol', async () => (await statusesOf('carol')).includes(201)),
  [`${scanCarol} | xargs -rd '\\n' redis-cli -u "$REDIS_URL" del`]: async () => {
    expect((await shell(scanCarol)).out).toBe('')
    await until('another ticket for carol', async () => (await statusesOf('carol')).includes(201))
  },
  'sluice allow carol 1h --why "a customer, see ticket 4711"': () =>
    until('tickets from both', async () => String(await statusesOf('carol')) === '201,201'),
  'sluice unlist carol': () =>
    until('a refusal by one', async () => (await statusesOf('carol')).includes(429)),
}

async function blockedIn(key: string): Promise<boolean> {
  const { limiters } = JSON.parse((await shell(`sluice inspect ${key} --json`)).out)
  const policies = limiters.flatMap((limiter: { policies: object }) => Object.values(limiter.policies))
  expect(policies.length).toBeGreaterThan(5)
  return policies.every(({ blockedMs }: { blockedMs: number | null }) => blockedMs !== null)
}

test('the page has its nine incidents', () => {
  expect(sections.map(({ title }) => title)).toEqual([
    'Somebody floods us',
    'Many addresses flood us',
    'Everybody is refused',
    'Somebody important is refused',
    'Limits do not limit',
    'Redis is away',
    'Redis is slow',
    'Redis is full',
    'A deployment went wrong',
  ])
  for (const { commands } of sections) expect(commands.length).toBeGreaterThan(2)
})

test.each(sections)('$title: every command of the page does what it says', async ({ title, commands }) => {
  await before[title]?.()
  for (const command of commands) {
    const { code: ends, said } = await shell(command)
    const ended = { code: ends, said }
    const code = (title === 'Redis is away' && awayCodes[command]) || 0
    expect({ command, ...ended }).toEqual({ command, code, said: expect.not.stringMatching(/NOAUTH/) })
    if (code === 0)
      expect({ command, ...ended }).toMatchObject({ said: expect.stringMatching(says[command] ?? /^/) })
    await after[command]?.()
  }
  await atItsEnd[title]?.()
  await compared.metrics()
})

test('what the test looks at stands on the page', () => {
  const all = sections.flatMap(({ commands }) => commands)
  expect(all).toEqual(
    expect.arrayContaining([...Object.keys(after), ...Object.keys(says), ...Object.keys(awayCodes)]),
  )
})
