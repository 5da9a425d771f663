import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import { createLimiter, type Limiter, multiWindow, type Policy, redisStore } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis6'
import { onServer } from '../docs/on-server.ts'
import { page } from '../docs/pages.ts'

const policies: { readonly [strategy: string]: Policy } = {
  ...everyStrategy(100, '1m'),
  // Its page is about several windows.
  multiWindow: multiWindow({
    limits: [
      { limit: 1000, window: '1s' },
      { limit: 5000, window: '10s' },
      { limit: 7000, window: '15s' },
    ],
  }),
}

const client = new Redis({ path: socket })
// A refusal that is repeated costs the server nothing.
const store = redisStore(client, { deadline: '10s', refusalCache: 0 })
const address = '192.0.2.100'
const note = 'request-012345'
const called: string[] = []
const marks = new Map<string, () => void>()
let monitor: Redis

beforeAll(async () => {
  monitor = await client.monitor()
  monitor.on('monitor', (_time: string, [command = '', text = '']: string[], source: string) => {
    if (source === 'lua') called.push(command.toUpperCase())
    else marks.get(text)?.()
  })
})

afterAll(async () => {
  await store.close()
  monitor.disconnect()
  client.disconnect()
})

/** Until the monitor has shown all that came before. */
async function mark(): Promise<void> {
  const name = `costs ${marks.size}`
  const shown = new Promise<void>((resolve) => marks.set(name, resolve))
  await client.echo(name)
  await shown
}

/** The commands of the script that `call` runs. */
async function commandsOf(call: () => Promise<unknown>): Promise<string> {
  await mark()
  called.length = 0
  await call()
  await mark()
  return called.join(' ')
}

/** The row of a page's table of costs, without its marks, and the server that it is of. */
function statedCosts(strategy: string): {
  server: string
  state: string
  one: number
  full: number
  admitted: string
  refused: string
} {
  const [, server = '', row = ''] =
    /^\| state in (\w+ [\d.]+) .*\n.*\n(.*)$/m.exec(page(`docs/strategies/${strategy}.md`).text) ?? []
  const [, state = '', one = '', full = '', admitted = '', refused = ''] = row
    .split('|')
    .map((cell) => cell.trim())
  const bytes = (cell: string) => Number(cell.replace(/\D/g, ''))
  return {
    server,
    state,
    one: bytes(one),
    full: bytes(full),
    admitted: admitted.replaceAll('`', ''),
    refused: refused.replaceAll('`', ''),
  }
}

/** Allocators differ a little, a wrong number differs more. */
function expectNear(bytes: number | null, statedBytes: number): void {
  const ratio = Number(bytes) / statedBytes
  expect({ bytes, statedBytes, near: ratio > 0.75 && ratio < 1.25 }).toEqual({
    bytes,
    statedBytes,
    near: true,
  })
}

type One = Limiter<{ readonly default: Policy }>

/** By few calls: one by one a slow machine never comes to a thousand in a second. */
async function exhaust(limiter: One): Promise<void> {
  while ((await limiter.check(address)).allowed) {
    const { remaining } = await limiter.peek(address)
    if (remaining > 0) await limiter.check(address, { cost: remaining })
  }
}

/** A store numbers its calls, and entries bear the number: of one that has asked for a while it has three digits, in base 36. */
async function grow(limiter: One): Promise<void> {
  await Promise.all(Array.from({ length: 36 * 36 }, () => limiter.peek('another')))
}

async function withLimiter(policy: Policy, use: (limiter: One) => Promise<void>): Promise<void> {
  const limiter = createLimiter({ name: 'api', policy, store })
  try {
    await limiter.ready()
    await limiter.reset(address)
    await use(limiter)
  } finally {
    await limiter.reset(address)
    await limiter.close()
  }
}

test.each(Object.entries(policies))('%s runs the commands that its page says', async (strategy, policy) => {
  await withLimiter(policy, async (limiter) => {
    const check = () => limiter.check(address)
    const page = statedCosts(strategy)
    if (strategy !== 'uniform') await check()
    expect(await commandsOf(check)).toBe(page.admitted)
    await exhaust(limiter)
    expect(await commandsOf(check)).toBe(page.refused)
  })
})

const measured = statedCosts('gcra').server
const { ofSizes, why } = onServer(measured)

ofSizes.each(Object.entries(policies))(
  `%s takes the bytes that its page says${why}`,
  async (strategy, policy) => {
    await withLimiter(policy, async (limiter) => {
      const check = () => limiter.check(address, strategy === 'attributedWindow' ? { note } : {})
      const page = statedCosts(strategy)
      expect(page.server).toBe(measured)
      await grow(limiter)
      await check()
      const [key = ''] = await client.keys(`*{${address}}:api:*`)
      expect(await client.type(key)).toBe(page.state.replace('sorted set', 'zset'))
      expectNear(await client.memory('USAGE', key), page.one)
      if (strategy === 'multiWindow') await fillSlots(key)
      else if (strategy === 'fairShare') await fillSeats(limiter)
      else while ((await check()).allowed);
      expectNear(await client.memory('USAGE', key), page.full)
    })
  },
)

/** As many clients as have a share of their own. */
async function fillSeats(limiter: One): Promise<void> {
  for (let i = 100; i < 200; i++) await limiter.check(address, { note: `client-0123${i}` })
}

/** A count in every slot that the longest window can hold. */
async function fillSlots(key: string): Promise<void> {
  const newest = Number((await client.hkeys(key))[0])
  for (let i = 0; i < 121; i++) await client.hset(key, String(newest - i * 125_000), 57)
}
