import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Redis } from 'ioredis'
import { attributedWindow, fixedWindow, type Policy, slidingWindowLog } from '../../src/index.ts'
import { stateName } from '../../src/key.ts'
import { checkOf, question, realStore } from './real-store.ts'

const { store, client } = realStore()
let monitor: Redis
const called: string[][] = []
const marks = new Map<string, () => void>()

beforeAll(async () => {
  monitor = await client.monitor()
  monitor.on('monitor', (_time: string, words: string[], source: string) => {
    if (source === 'lua') called.push(words)
    else marks.get(words[1] ?? '')?.()
  })
})
afterAll(() => {
  monitor.disconnect()
  client.disconnect()
})

/** Until the monitor has shown all that came before. */
async function mark(): Promise<void> {
  const name = `blocks ${marks.size}`
  const shown = new Promise<void>((resolve) => marks.set(name, resolve))
  await client.echo(name)
  await shown
}

const limit = 2000
const large: readonly Policy[] = [
  slidingWindowLog({ limit, window: '1h' }),
  attributedWindow({ limit, window: '1h' }),
]

describe('a block', () => {
  it.each(large)('is read without the state behind it: $strategy', async (policy) => {
    const check = checkOf(policy)
    const key = stateName(check)
    await store.answer(question({ ...check, cost: limit, note: 'who' }))
    await store.manage({ op: 'block', check, us: 60_000_000 })
    await mark()
    called.length = 0
    const rows = await store.answer(question(check))
    await mark()
    expect(rows[0]).toMatchObject({ reason: 'blocked' })
    // Its first command is the strategy's own, which finds the block.
    const own = called.filter((words) => words[1] === key).map((words) => words.join(' '))
    expect(own.slice(-2)).toEqual([`TYPE ${key}`, `LINDEX ${key} 0`])
    expect(own.join(' ')).not.toMatch(/SMEMBERS|LRANGE|DUMP|LINDEX \S+ [12]/)
    await store.manage({ op: 'unblock', check })
    const after = await store.answer(question(check))
    expect(after[0]).toMatchObject({ reason: 'limited', remaining: 0 })
  })

  it('is one from an older version too, which kept state of any size in a set', async () => {
    const check = checkOf(slidingWindowLog({ limit: 200, window: '1h' }), { cost: 200 })
    const key = stateName(check)
    await store.answer(question(check))
    const dump = await client.dumpBuffer(key)
    const endsUs = (Date.now() + 60_000) * 1000
    const state = Buffer.concat([Buffer.from(`state:${endsUs}:`), dump ?? Buffer.from('')])
    expect(state.length).toBeGreaterThan(512)
    await client.multi().del(key).sadd(key, `until:${endsUs}`, state).exec()
    const rows = await store.answer(question(check))
    expect(rows[0]).toMatchObject({ reason: 'blocked' })
    await store.manage({ op: 'unblock', check })
    const after = await store.answer(question(check))
    expect(after[0]).toMatchObject({ reason: 'limited', remaining: 0 })
  })

  // An older version reads no other form than the set.
  it('is a set that an older version can read, where the state is small', async () => {
    const check = checkOf(fixedWindow({ limit: 5, window: '1h' }))
    await store.answer(question(check))
    await store.manage({ op: 'block', check, us: 60_000_000 })
    const members = await client.smembers(stateName(check))
    expect(members.sort()).toEqual([
      expect.stringMatching(/^state:\d{16}:/),
      expect.stringMatching(/^until:\d{16}$/),
    ])
  })

  it.each([fixedWindow({ limit: 500, window: '1h' }), slidingWindowLog({ limit: 500, window: '1h' })])(
    'keeps state to the last microsecond that the server would have: $strategy',
    async (policy) => {
      const check = checkOf(policy, { cost: 500 })
      const key = stateName(check)
      await store.answer(question(check))
      // The server keeps a key until this millisecond is over.
      const lastMs = Date.now() + 50_000
      await client.pexpireat(key, lastMs)
      await store.manage({ op: 'block', check, us: 60_000_000 })
      expect(await keptUntilUs(key)).toBeGreaterThanOrEqual((lastMs + 1) * 1000)
      expect(await keptUntilUs(key)).toBeLessThanOrEqual((lastMs + 2) * 1000)
      await store.manage({ op: 'inspect', check })
      await store.manage({ op: 'block', check, us: 70_000_000 })
      expect(await keptUntilUs(key)).toBeGreaterThanOrEqual((lastMs + 1) * 1000)
      expect(await keptUntilUs(key)).toBeLessThanOrEqual((lastMs + 2) * 1000)
    },
  )
})

/** The instant that stands beside the state. */
async function keptUntilUs(key: string): Promise<number> {
  if ((await client.type(key)) === 'list') return Number(await client.lindex(key, 1))
  const members = await client.smembers(key)
  return Number(/^state:(\d+):/.exec(members.find((each) => each.startsWith('state:')) ?? '')?.[1])
}
