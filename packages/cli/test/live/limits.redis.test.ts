import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLimiter, gcra, type Limiter } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { type Operations, operations } from '@sluice/operations'
import { folderWith, sluiceWith } from '../sluice.ts'

const folder = folderWith({})
let redis: RedisProcess
let ops: Operations
let limiter: Limiter<{ readonly free: ReturnType<typeof gcra>; readonly paid: ReturnType<typeof gcra> }>

beforeAll(async () => {
  redis = await RedisProcess.prepare([])
  await redis.start()
  ops = operations({ redis: `redis://127.0.0.1:${redis.port}`, service: 'shop', deadline: '20s' })
  const { policies } = ops.limits({
    free: gcra({ count: 100, period: '1m' }),
    paid: gcra({ count: 1000, period: '1m' }),
  })
  limiter = createLimiter({ name: 'api', policies, observers: [ops] })
  await ops.ready()
})
afterAll(async () => {
  await limiter.close()
  await ops.close()
  await redis.end()
})

const sluice = (...args: readonly string[]) =>
  sluiceWith({ REDIS_URL: `redis://127.0.0.1:${redis.port}`, USER: 'alice' }, folder, ...args)
const limitOfFree = async () => (await limiter.peek('bob')).verdicts.free?.limit

it('a limit is changed in a running service, shown, and restored by one command', async () => {
  expect((await sluice('limits')).stdout).toMatch(/^free +100\/min, burst 99$/m)
  expect(
    await sluice('change', 'free', 'count=50', 'burst=9', '--for', '2h', '--why', 'incident 12'),
  ).toEqual({
    code: 0,
    stdout:
      'Changed free for 2 h: 50/min, burst 9 (its own: 100/min, burst 99).\nUndo: sluice restore free\n',
    stderr: '',
  })
  await until(async () => (await limitOfFree()) === 10, { what: 'the change' })
  await ops.ready()
  expect((await sluice('limits')).stdout).toMatch(
    /^free +50\/min, burst 9 +100\/min, burst 99 +2 h +alice +incident 12$/m,
  )
  const top = (await sluice('top', '--once')).stdout
  expect(top).toMatch(/^api\.free +50\/min, burst 9 \(its own: 100\/min, burst 99\)/m)
  expect(top).toMatch(/change count=50 burst=9 2 h +free/)
  expect(await sluice('restore', 'free')).toMatchObject({
    code: 0,
    stdout: 'Restored free: 100/min, burst 99.\n',
  })
  await until(async () => (await limitOfFree()) === 100, { what: 'its own limit' })
  expect(await sluice('restore', 'free')).toMatchObject({
    code: 1,
    stdout: 'free is not changed: nothing was done.\n',
  })
})

it('a dry run does nothing', async () => {
  expect(await sluice('change', 'paid', 'count=2000', '--dry-run')).toMatchObject({
    code: 0,
    stdout:
      'Would change paid until it is restored: 2000/min, burst 1999 (its own: 1000/min, burst 999).\nDry run: nothing was done.\n',
  })
  expect(JSON.parse((await sluice('limits', '--json')).stdout)).toMatchObject({ changed: [] })
})

it.each([
  [['change', 'fre', 'count=5'], 1, /no running process has a limit "fre" \(did you mean "free"\?\)/],
  [['change', 'free', 'limit=5'], 1, /limit: expected .*`?count`?.*, got "limit"/],
  [['change', 'free', 'count=-5'], 1, /count: expected a whole number of at least 0, got -5 \(number\)/],
  [
    ['change', 'free', 'period=60'],
    1,
    /period: expected a duration with a unit such as "10s", got 60 \(number\)/,
  ],
  [['change', 'free', 'five'], 2, /OPTIONS: expected such as count=50, got five/],
  [['change', 'free', 'count=5', 'count=6'], 2, /OPTIONS: each is given once/],
  [['change', 'free'], 2, /missing required argument/],
  [['change', 'free', 'count=5', '--for', '366d'], 2, /at most 365d/],
])('%j ends with %d and says what is wrong', async (args, code, message) => {
  const said = await sluice(...args)
  expect(said.code).toBe(code)
  expect(said.stderr).toMatch(message)
})
