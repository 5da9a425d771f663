import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { freePort, killPrograms, until } from '../program.ts'
import { startRedis } from '../redis.ts'
import { buy, type RunningZoo, startZoo } from '../zoo.ts'

const root = path.resolve(__dirname, '../../../..')
const page = readFileSync(path.join(root, 'docs/incident.md'), 'utf8')
const sluiceProgram = bundled(path.join(root, 'packages/cli/src/main.ts'))
const folder = mkdtempSync(path.join(tmpdir(), 'incident-'))
let redisUrl = ''
let zoos: readonly RunningZoo[] = []

beforeAll(async () => {
  const port = await freePort()
  await startRedis(port)
  redisUrl = `redis://127.0.0.1:${port}`
  const frameworks = ['fastify', 'koa']
  zoos = await Promise.all(
    frameworks.map((framework) => startZoo('--framework', framework, '--redis', redisUrl)),
  )
  const command = path.join(folder, 'sluice')
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${await sluiceProgram()}" "$@"\n`)
  chmodSync(command, 0o755)
  const limits = 'schema:\n  user:\n    children:\n      "*":\n        limits: [15, 30, 60]\n'
  writeFileSync(path.join(folder, 'limits.yaml'), limits)
  // No zoo waits for it before it sells tickets.
  await until('both zoos to be seen', async () => {
    const { code, said } = await shell('sluice top --once --json')
    return code === 0 && JSON.parse(said).processes.length === zoos.length
  })
}, 60_000)

afterAll(killPrograms)

/** The commands of each section; those before the first are how to set up. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    const commands = blocks.flatMap(([, code = '']) => code.trim().split('\n'))
    return { title: section.slice(0, section.indexOf('\n')), commands }
  })

/** The page's network as this machine has one: any address that begins with 127 is its own. */
const here = (text: string) => text.replaceAll('203.0.113.', '127.0.113.')

async function shell(command: string): Promise<{ code: unknown; said: string }> {
  const PATH = `${folder}:${process.env.PATH}`
  const env = { ...process.env, PATH, REDIS_URL: redisUrl }
  const child = spawn('sh', ['-c', here(command)], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, wrong, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, said: out + wrong }
}

async function statusesOf(visitor: string): Promise<readonly number[]> {
  const answers = await Promise.all(zoos.map((zoo) => buy(zoo, 'tiger', { visitor })))
  return answers.map(({ status }) => status)
}

/** What both processes say to a client at this address. */
async function statusesFrom(localAddress: string, attraction = 'penguin'): Promise<readonly unknown[]> {
  const headers = { 'X-Visitor': 'ann' }
  const answers = zoos.map(async ({ url }) => {
    const order = request(`${url}/attractions/${attraction}/tickets`, {
      method: 'POST',
      localAddress,
      headers,
    })
    const [answer] = await once(order.end(), 'response')
    answer.resume()
    return answer.statusCode
  })
  return Promise.all(answers)
}

const refusedByAll = [429, 429]

/** What each section begins with. */
const before: { readonly [title: string]: () => Promise<unknown> } = {
  'Somebody floods us': () => statusesOf('mallory'),
  'Somebody important is refused': async () => {
    await statusesOf('carol')
    await shell('sluice block carol 1h --why "a mistake"')
    await shell('sluice refuse carol 1h --why "another mistake"')
  },
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
  'sluice unblock mallory': async () => expect(await blockedIn('mallory')).toBe(false),
  'sluice reset carol --limiter tiger --yes --why "a customer, see ticket 4711"': () =>
    until('a ticket for carol', async () => (await statusesOf('carol')).includes(201)),
}

async function blockedIn(key: string): Promise<boolean> {
  const { limiters } = JSON.parse((await shell(`sluice inspect ${key} --json`)).said)
  const policies = limiters.flatMap((limiter: { policies: object }) => Object.values(limiter.policies))
  expect(policies.length).toBeGreaterThan(5)
  return policies.every(({ blockedMs }: { blockedMs: number | null }) => blockedMs !== null)
}

test('the page has its seven incidents', () => {
  expect(sections.map(({ title }) => title)).toEqual([
    'Somebody floods us',
    'Many addresses flood us',
    'Somebody important is refused',
    'Limits do not limit',
    'Redis is slow',
    'Redis is full',
    'A deployment went wrong',
  ])
  for (const { commands } of sections) expect(commands.length).toBeGreaterThan(2)
})

test.each(sections)('$title: every command of the page does what it says', async ({ title, commands }) => {
  await before[title]?.()
  for (const command of commands) {
    expect({ command, ...(await shell(command)) }).toEqual({ command, code: 0, said: expect.any(String) })
    await after[command]?.()
  }
})

test('what the test looks at stands on the page', () => {
  const all = sections.flatMap(({ commands }) => commands)
  expect(all).toEqual(expect.arrayContaining(Object.keys(after)))
})
