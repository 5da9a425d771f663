import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults'
import { installed } from '@sluice/faults/packed'
import { recorder, redisSink } from '@sluice/telemetry'
import { type Service, startService } from '../live/service.ts'
import { type Ended, folderWith } from '../sluice.ts'
import { type Place, runPacked } from './run-packed.ts'

const { peerDependencies } = JSON.parse(readFileSync(path.join(__dirname, '../../package.json'), 'utf8'))
const peers = Object.keys(peerDependencies)

const crowd = ['crowd', '4', '3', '--only', 'pair', '--seconds', '1']
const serve = ['serve', 'limits.yaml', '--grpc', '127.0.0.1:0', '--http', '127.0.0.1:0', '--drain', '1ms']
const fixed = ['--policy', 'slidingWindowLog:60/1m']
const log = 'node_modules/@sluice/cli/sample/access.log.gz'

/** Every command in each way that needs something else; `LOG` and `REDIS` are put in. */
// biome-ignore format: a table
const commands: readonly (readonly [words: readonly string[], needs: readonly string[]])[] = [
  [['validate', 'limits.yaml'],                                                      []],
  [['explain', 'limits.yaml', 'user/alex'],                                          []],
  [['compare', 'LOG', ...fixed],                                                     []],
  [['compare', 'LOG', ...fixed, '--html', 'report.html'],                            []],
  [['compare', 'LOG', '--limits', 'limits.yaml', '--path', 'user/{ip}'],             []],
  [['compare', '--traffic', 'poisson:rate=5,clients=5,duration=10s', ...fixed],      []],
  [['plan', '--users', '1e6', '--rate', '50/d', ...fixed],                           []],
  [crowd,                                                                            []],
  [[...crowd, '--framework', 'express'],                                             ['express', '@sluice/express']],
  [[...crowd, '--framework', 'fastify'],                                             ['fastify', '@sluice/fastify']],
  [[...crowd, '--framework', 'koa'],                                                 ['koa', '@sluice/koa']],
  [[...crowd, '--redis', 'REDIS'],                                                   ['ioredis']],
  [serve,                                                                            ['@sluice/server']],
  [[...serve, '--url', 'REDIS'],                                                     ['@sluice/server', 'ioredis']],
  [['compare', '--recorded', 'login', ...fixed, '--url', 'REDIS'],                   ['ioredis']],
  [['top', '--once', '--url', 'REDIS'],                                              ['ioredis']],
  [['inspect', 'alice', '--url', 'REDIS'],                                           ['ioredis']],
  [['block', 'alice', '1h', '--url', 'REDIS'],                                       ['ioredis']],
  [['unblock', 'alice', '--url', 'REDIS'],                                           ['ioredis']],
  [['reset', 'alice', '--yes', '--url', 'REDIS'],                                    ['ioredis']],
  [['acts', '--url', 'REDIS'],                                                       ['ioredis']],
  [['deny', '203.0.113.0/24', '1d', '--url', 'REDIS'],                               ['ioredis']],
  [['refuse', 'alice', '10m', '--url', 'REDIS'],                                     ['ioredis']],
  [['allow', '192.0.2.7', '1h', '--url', 'REDIS'],                                   ['ioredis']],
  [['lists', '--url', 'REDIS'],                                                      ['ioredis']],
  [['unlist', '203.0.113.0/24', '--url', 'REDIS'],                                   ['ioredis']],
]
const titled = commands.map(([words, needs]) => [words.join(' '), words, needs] as const)
const needing = titled.filter(([, , needs]) => needs.length > 0)
const needless = titled.filter(([, , needs]) => needs.length === 0)

const cwd = folderWith({ 'limits.yaml': 'schema:\n  user: { children: { "*": { limits: [1, 10, 60] } } }\n' })
let redis: RedisProcess
let service: Service
let bare = ''
let full = ''

beforeAll(async () => {
  redis = await RedisProcess.prepare()
  await redis.start()
  bare = await installed('@sluice/cli')
  full = await installed('@sluice/cli', ...peers)
  const seen = recorder(redisSink({ redis: redis.url }), { traffic: ['login'] })
  service = await startService(redis.port, { names: ['login'], observers: [seen] })
  for (const limiter of service.limiters) await limiter.check('alice')
  await service.tell()
  await seen.close()
}, 300_000)
afterAll(async () => {
  await service.close()
  await redis.end()
  rmSync(cwd, { recursive: true })
})

/** `app`: where it is installed. */
function run(app: string, words: readonly string[], more: Partial<Place> = {}): Promise<Ended> {
  const said = words.map((word) => word.replace('REDIS', redis.url).replace('LOG', path.join(app, log)))
  return runPacked({ app, cwd, ...more }, said)
}

describe('the packed command line with all that it can use', () => {
  it('has no command that is not tried here', async () => {
    const { stdout } = await run(full, ['--help'])
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name)
    expect([...new Set(commands.map(([[name]]) => name))].sort()).toEqual(listed.sort())
  })

  it.each(needing)('sluice %s', async (_, words) => {
    const { code, stdout, stderr } = await run(full, words)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })
})

const expected = (needs: readonly string[]) =>
  `needs what is not installed: npm install ${needs.join(' ')}, or with npx: ${needs.map((name) => `--package ${name}`).join(' ')}`

describe('the packed command line alone', () => {
  it.each(needless)('sluice %s', async (_, words) => {
    const { code, stdout, stderr } = await run(bare, words)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })

  it.each(needing)('sluice %s says what to install', async (_, words, needs) => {
    const { code, stdout, stderr } = await run(bare, words)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(expected(needs))
  })
})

/** The same packages but one: links to them, which Node takes for the packages themselves. */
function without(peer: string): string {
  const app = path.join(cwd, `without-${peer.replace('/', '-')}`)
  const from = path.join(full, 'node_modules')
  const names = readdirSync(from).flatMap((name) =>
    name.startsWith('@') ? readdirSync(path.join(from, name)).map((each) => `${name}/${each}`) : [name],
  )
  for (const name of names.filter((each) => each !== peer)) {
    const link = path.join(app, 'node_modules', name)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.join(from, name), link)
  }
  return app
}
const asLinked = {
  env: { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' },
  file: '@sluice/cli/dist/main.js',
}

describe.each(peers)('without %s alone', (peer) => {
  const [title, words, needs] = needing.find(([, , all]) => all.includes(peer)) ?? ['', [], []]

  it(`sluice ${title} says what to install, and all else is there`, async () => {
    const app = without(peer)
    const { code, stderr } = await run(app, words, asLinked)
    expect(code).toBe(2)
    expect(stderr).toContain(expected(needs))
    expect((await run(app, ['validate', 'limits.yaml'], asLinked)).code).toBe(0)
  })
})
