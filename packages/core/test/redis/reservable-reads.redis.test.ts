import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Redis } from 'ioredis'
import {
  fixedWindow,
  multiWindow,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
} from '../../src/index.ts'
import { checkOf, question, realStore } from './real-store.ts'

const { store, client } = realStore()
let monitor: Redis
const called: string[] = []
const marks = new Map<string, () => void>()

beforeAll(async () => {
  monitor = await client.monitor()
  monitor.on('monitor', (_time: string, [command = '', text = '']: string[], source: string) => {
    if (source === 'lua') called.push(command.toUpperCase())
    else marks.get(text)?.()
  })
})
afterAll(() => {
  monitor.disconnect()
  client.disconnect()
})

/** Until the monitor has shown all that came before. */
async function mark(): Promise<void> {
  const name = `reads ${marks.size}`
  const shown = new Promise<void>((resolve) => marks.set(name, resolve))
  await client.echo(name)
  await shown
}

const window = '1h'

// Where the state is no text, how far ahead it may lie has a command of its own.
it.each([
  { command: 'GET', policy: reservable(fixedWindow({ limit: 5, window })) },
  { command: 'GET', policy: reservable(slidingWindowCounter({ limit: 5, window })) },
  { command: 'ZRANGE', policy: reservable(slidingWindowLog({ limit: 5, window })) },
  { command: 'HGET', policy: reservable(multiWindow({ limits: [{ limit: 5, window }] })) },
])('a check of a reservable $policy.strategy reads once how far ahead its key may lie', async (about) => {
  const check = checkOf(about.policy)
  await store.answer(question(check))
  await mark()
  called.length = 0
  await store.answer(question(check))
  await mark()
  expect(called.filter((each) => each === about.command)).toHaveLength(1)
})
