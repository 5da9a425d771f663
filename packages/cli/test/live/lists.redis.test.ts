import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { type Act, createLimiter, gcra, type Limiter } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { type Operations, operations } from '@sluice/operations'
import { folderWith, sluiceWith } from '../sluice.ts'

const folder = folderWith({})
const heard: Act[] = []
let redis: RedisProcess
let ops: Operations
let limiter: Limiter<{ readonly default: ReturnType<typeof gcra> }>

beforeAll(async () => {
  redis = await RedisProcess.prepare([])
  await redis.start()
  ops = operations({ redis: `redis://127.0.0.1:${redis.port}`, deadline: '20s' })
  const observers = [ops, { acted: (act: Act) => void heard.push(act) }]
  limiter = createLimiter({
    name: 'login',
    policy: gcra({ count: 5, period: '1h' }),
    observers,
    lists: [ops.lists],
  })
  await ops.ready()
})
afterAll(async () => {
  await limiter.close()
  await ops.close()
  await redis.end()
})

const sluice = (...args: readonly string[]) =>
  sluiceWith({ REDIS_URL: `redis://127.0.0.1:${redis.port}`, USER: 'alice' }, folder, ...args)
const reason = async (key: string) => (await limiter.peek(key)).reason

it('a network is denied in a running service, shown, and taken off again; observers and the log hear of it', async () => {
  expect(await sluice('deny', '203.0.113.0/24', '1d', '--why', 'scraper')).toEqual({
    code: 0,
    stdout: 'Denied 203.0.113.0/24 in all limiters for 1 d.\nUndo: sluice unlist 203.0.113.0/24\n',
    stderr: '',
  })
  await until(async () => (await reason('203.0.113.9')) === 'denied', { what: 'the entry' })
  const shown = JSON.parse((await sluice('lists', '--json')).stdout)
  expect(shown).toMatchObject([{ list: 'deny', address: '203.0.113.0/24', why: 'scraper', by: 'alice' }])
  expect((await sluice('lists')).stdout).toMatch(/^deny {2}203\.0\.113\.0\/24 +all /m)
  expect(await sluice('unlist', '203.0.113.0/24')).toMatchObject({
    code: 0,
    stdout: 'Removed 203.0.113.0/24 from deny.\n',
  })
  await until(async () => (await reason('203.0.113.9')) === null, { what: 'its removal' })
  expect(await sluice('unlist', '203.0.113.0/24')).toMatchObject({ code: 1 })
  await until(async () => heard.length === 2, { what: 'word of both' })
  expect(heard).toMatchObject([
    { act: 'deny', limiter: '', key: '203.0.113.0/24', forMs: 86_400_000, why: 'scraper', by: 'alice' },
    { act: 'unlist', limiter: '', key: '203.0.113.0/24', by: 'alice' },
  ])
})

it('a time in ms is not asked whether it was meant in seconds, as it has its unit', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await sluice('deny', 'dave', '500ms')).toMatchObject({ code: 0 })
  expect(warn.mock.calls).toEqual([])
  warn.mockRestore()
})

it('refuse is for a time, allow is not counted, and --limiter narrows either', async () => {
  expect(await sluice('refuse', 'bob', '10m', '--limiter', 'login')).toMatchObject({ code: 0, stderr: '' })
  expect(await sluice('refuse', 'carol', '10m', '--limiter', 'search')).toMatchObject({ code: 0 })
  expect(await sluice('allow', '192.0.2.1', '1h', '--key')).toMatchObject({ code: 0 })
  await until(async () => (await limiter.peek('192.0.2.1')).limit === Number.POSITIVE_INFINITY, {
    what: 'the entries',
  })
  expect(await reason('bob')).toBe('blocked')
  // One word for one idea: block is what sluice block does to one key.
  expect((await sluice('lists')).stdout).toMatch(/^refuse {2}bob +login /m)
  expect((await sluice('inspect', 'bob')).stdout).toMatch(/^On a list: refuse bob in login, for /m)
  expect((await sluice('unlist', 'bob', '--limiter', 'login')).stdout).toBe('Removed bob from refuse.\n')
  expect(await reason('carol')).toBeNull()
})

it('a dry run does nothing, and half of the internet needs a yes', async () => {
  const dry = await sluice('deny', 'eve', '1h', '--dry-run')
  expect(dry).toMatchObject({
    code: 0,
    stdout: 'Would deny eve in all limiters for 1 h.\nDry run: nothing was done.\n',
  })
  const wide = await sluice('deny', '0.0.0.0/1', '1h')
  expect(wide).toMatchObject({ code: 2 })
  expect(wide.stderr).toMatch(
    /0\.0\.0\.0\/1 holds millions of addresses\. deny all of them\? .*repeat it with --yes/,
  )
  expect(wide.stderr).not.toContain('cannot be undone')
  const shown = JSON.parse((await sluice('lists', '--json')).stdout) as { key?: string; address?: string }[]
  expect(shown.filter(({ key, address }) => key === 'eve' || address === '0.0.0.0/1')).toEqual([])
})

it.each([
  [['deny', '203.0.113.7/24', '1d'], /no bits set behind the prefix/],
  [['deny', '203.0.113.7', '366d'], /at most 365d/],
  [['deny', '203.0.113.7'], /missing required argument/],
])('%j says what is wrong', async (args, message) => {
  const { code, stderr } = await sluice(...args)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})
