import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { slidingWindowLog } from '@sluice/core'
import { RedisProcess } from '@sluice/faults/outage'
import { type Recorder, recorder, redisSink } from '@sluice/telemetry'
import type { Comparison } from '../../src/compare/comparison.ts'
import { type Service, startService } from '../live/service.ts'
import { folderWith, sluiceWith } from '../sluice.ts'

const folder = folderWith({})
let redis: RedisProcess
let seen: Recorder
let service: Service

/** 23 callers who come twice, one who comes four times, and a flood. */
const crowd = [
  ...Array.from({ length: 23 }, (_, i) => ({ key: `caller-${i}`, times: 2 })),
  { key: 'eager', times: 4 },
  { key: 'flood', times: 100 },
]

beforeAll(async () => {
  redis = await RedisProcess.prepare()
  await redis.start()
  seen = recorder(redisSink({ redis: `redis://127.0.0.1:${redis.port}`, prefix: 'shop:', deadline: '20s' }), {
    traffic: ['login'],
  })
  service = await startService(redis.port, {
    prefix: 'shop:',
    observers: [seen],
    names: ['login', 'search'],
    policies: { visitor: slidingWindowLog({ limit: 3, window: '1h' }) },
  })
  for (const limiter of service.limiters)
    for (const { key, times } of crowd) for (let i = 0; i < times; i++) await limiter.check(key, { cost: 1 })
  await seen.flush()
  await service.tell()
})
afterAll(async () => {
  await service.close()
  await seen.close()
  await redis.end()
})

const sluice = (...args: readonly string[]) =>
  sluiceWith(
    { REDIS_URL: `redis://127.0.0.1:${redis.port}` },
    folder,
    'compare',
    '--prefix',
    'shop:',
    ...args,
  )

async function compared(...args: readonly string[]): Promise<Comparison> {
  const { code, stdout, stderr } = await sluice('--recorded', 'login', '--json', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

it('the policy in force is judged by what was recorded, and warns of those who behave', async () => {
  const { code, stdout } = await sluice('--recorded', 'login')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^login\.visitor as recorded: 150 requests; 25 clients by key$/m)
  expect(stdout).toMatch(/│ slidingWindowLog:3\/1h by key +│ +52 │ +98 │/)
  expect(stdout).toMatch(
    /^ {2}warning: it refuses 1 of 24 well-behaved clients \(4\.2 %\), who send at most 4 requests in any minute$/m,
  )
  expect(stdout).not.toMatch(/caller|eager|flood/)
})

it('other numbers are suggested by it, of the same strategy', async () => {
  const { suggestions, results } = await compared('--suggest', '1%')
  expect(suggestions?.found.map(({ text }) => text)).toEqual(['slidingWindowLog:4/1h'])
  expect(results.map(({ text, wellBehavedRefused }) => [text, wellBehavedRefused])).toEqual([
    ['slidingWindowLog:3/1h', 1],
    ['slidingWindowLog:4/1h', 0],
  ])
})

it('who counts as well-behaved can be said', async () => {
  const { input, results } = await compared('--well-behaved', '90%', '--policy', 'slidingWindowLog:1/1h')
  expect(input.wellBehaved).toEqual({ clients: 23, busiestMinute: 2 })
  expect(results[0]?.wellBehavedRefused).toBe(23)
})

// biome-ignore format: a table
it.each([
  // arguments                              code, what is said
  [['--recorded', 'search'],                2, /--recorded search: expected a limiter, or a limiter and its policy, one of login\.visitor$/m],
  [['--recorded', 'login.vistor'],          2, /did you mean "login\.visitor"\?/],
  [['--recorded', 'login', 'access.log'],   2, /--recorded replays what services have recorded: leave out logs and --traffic/],
  [['--recorded', 'login', '--limits', 'limits.yaml', '--path', 'a'], 2, /--recorded has the requests of one policy: leave out --limits/],
  [['--recorded', 'login', '--prefix', 'other:'], 1, /^No traffic is recorded here\. Has the recorder of your services the option `traffic`/],
  [['--recorded', 'login', '--url', 'redis://127.0.0.1:1'], 3, /Redis does not answer/],
  [['--recorded', 'login', '--redis', 'redis://127.0.0.1:1'], 3, /Redis does not answer/],
  [['--recorded', 'login', '--redis', 'redis://127.0.0.1:1', '--url', 'redis://127.0.0.1:1'], 2, /'--redis <url>' cannot be used with option '--url <url>'/],
])('%j ends with %i', async (args, code, words) => {
  const ended = await sluice(...args)
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' })
  expect(ended.stderr).toMatch(words)
})
