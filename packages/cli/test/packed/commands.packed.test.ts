import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals'
import { gcra } from '@sluice/core'
import { RedisProcess } from '@sluice/faults/outage'
import { installed } from '@sluice/faults/packed'
import { recorder, redisSink } from '@sluice/telemetry'
import { type Service, startService } from '../live/service.ts'
import { type Ended, folderWith } from '../sluice.ts'
import { commands, log } from './needs.ts'
import { runPacked, runTogether } from './run-packed.ts'
import { without } from './set-aside.ts'

const { peerDependencies } = JSON.parse(readFileSync(path.join(__dirname, '../../package.json'), 'utf8'))
const peers = Object.keys(peerDependencies)

const titled = commands.map(([words, needs]) => [words.join(' '), words, needs] as const)
const needing = titled.filter(([, , needs]) => needs.length > 0)
/** One of each: what a package is needed for asks for it in one place. */
const eachNeed = needing.filter(
  ([, , needs], i) => needing.findIndex(([, , other]) => String(other) === String(needs)) === i,
)

const cwd = folderWith({
  'limits.yaml': 'schema:\n  user: { children: { "*": { limits: [1, 10, 60] } } }\n',
  'access.log': '192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 5\n',
})
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
  const changeable = { free: gcra({ count: 100, period: '1m' }) }
  service = await startService(redis.port, { names: ['login'], observers: [seen], changeable })
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
function run(app: string, words: readonly string[]): Promise<Ended> {
  return runPacked({ app, cwd }, filledIn(app, words))
}

function filledIn(app: string, words: readonly string[]): readonly string[] {
  return words.map((word) => word.replace('REDIS', redis.url).replace('LOG', path.join(app, log)))
}

/** By its title, what each of these has said where no more is installed than `needs`. */
async function saidBy(
  those: readonly (typeof titled)[number][],
  needs: readonly string[],
): Promise<Readonly<Record<string, Ended>>> {
  const app = await installed('@sluice/cli', ...needs)
  const ended = await runTogether(
    { app, cwd },
    those.map(([, words]) => filledIn(app, words)),
  )
  return Object.fromEntries(
    those.map(([title], i) => [title, ended[i] ?? { code: -1, stdout: '', stderr: '' }]),
  )
}

/** What went wrong, by title. */
function wrongIn(ended: Readonly<Record<string, Ended>>): Readonly<Record<string, Ended>> {
  return Object.fromEntries(
    Object.entries(ended).filter(([, { code, stdout }]) => code !== 0 || stdout === ''),
  )
}

/** A service runs until a signal ends it. */
const isService = ([, [name]]: (typeof titled)[number]) => name === 'serve'

describe('the packed command line with no more than what a command needs', () => {
  it('has no command that is not tried here', async () => {
    const { stdout } = await run(bare, ['--help'])
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name)
    expect([...new Set(commands.map(([[name]]) => name))].sort()).toEqual(listed.sort())
  })

  it.each([[[]], ...eachNeed.filter((one) => !isService(one)).map(([, , needs]) => [needs])])(
    'runs what needs %p',
    async (needs) => {
      const those = titled.filter((one) => String(one[2]) === String(needs) && !isService(one))
      expect(wrongIn(await saidBy(those, needs))).toEqual({})
    },
  )

  it.each(titled.filter(isService))('sluice %s', async (_, words, needs) => {
    const { code, stdout, stderr } = await run(await installed('@sluice/cli', ...needs), words)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })
})

const expected = (needs: readonly string[]) =>
  `needs what is not installed: npm install ${needs.join(' ')}, or with npx: ${needs.map((name) => `--package ${name}`).join(' ')}`

test('the packed command line alone says what to install', async () => {
  const said = await saidBy(eachNeed, [])
  for (const [title, , needs] of eachNeed) {
    expect(said[title]).toMatchObject({ code: 2, stdout: '' })
    expect(said[title]?.stderr).toContain(expected(needs))
  }
})

/** Those that a command needs beside others; what needs one alone has said so where none is installed. */
const besideOthers = peers.filter((peer) => needing.find(([, , all]) => all.includes(peer))?.[2].length !== 1)

describe.each(besideOthers)('without %s alone', (peer) => {
  const [title, words, needs] = needing.find(([, , all]) => all.includes(peer)) ?? ['', [], []]

  it(`sluice ${title} says what to install`, async () => {
    const { code, stderr } = await without(full, [peer], () => run(full, words))
    expect(code).toBe(2)
    expect(stderr).toContain(expected(needs))
  })
})
