import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@jest/globals'
import { everyCount } from '@sluice/conformance/every-strategy'
import { concurrency, createLimiter, type RedisClient, redisStore, type Store } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import type { Redis } from 'ioredis6'
import { isOldest, takesSetInfo } from './on-server.ts'
import { blocksOf, page, root } from './pages.ts'

const policies = everyCount(9, '1h')

/** The lines of the page, as words of the command; the second and the third add to the first. */
const [forServer = [], forSetInfo = [], forCluster = []] = blocksOf(page('docs/reliability.md'))
  .filter(({ code }) => code.startsWith('ACL SETUSER'))
  .map(({ code }) => code.trim().split(/\s+/).slice(1))

export { forCluster, forServer, forSetInfo }
/** What the page says to send to this server, for all that is not a cluster. */
export const linesHere: readonly (readonly string[])[] = [
  forServer,
  ...(takesSetInfo ? [forSetInfo] : []),
  ...(isOldest ? [['SETUSER', 'sluice', '+client|maint_notifications']] : []),
]
/** Whom the lines make. */
export const credentials = { username: 'sluice', password: 'PASSWORD' } as const

export async function addUser(admin: Redis, lines: readonly (readonly string[])[]): Promise<void> {
  for (const words of lines) await admin.call('ACL', ...words)
}

/** The commands that the scripts of these folders call. */
export function commandsCalled(...folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) => {
    const inside = readdirSync(path.join(root, folder), { recursive: folder !== 'lua', encoding: 'utf8' })
    return inside.filter((file) => file.endsWith('.lua')).map((file) => path.join(root, folder, file))
  })
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const calls = text.matchAll(/(?:redis\.p?call|of_group)\(\s*'([A-Z]+)'/g)
  return [...calls].map(([, name = '']) => name.toLowerCase())
}

/** What the server has refused a user since it was asked last. */
export async function refusals(admin: Redis): Promise<readonly string[]> {
  const log = await admin.call('ACL', 'LOG')
  await admin.call('ACL', 'LOG', 'RESET')
  return (log as string[][]).map((entry) => String(entry[entry.indexOf('object') + 1])) // pairs of a name and a value
}

/** Everything that can be asked; rejects, or counts without Redis, where something is not permitted. */
export async function useAll(redis: RedisClient): Promise<void> {
  const store = redisStore(redis, { deadline: '5s' })
  const name = randomBytes(6).toString('hex')
  const limiter = createLimiter({ name, store, policies, logger: { warn: () => {}, error: () => {} } })
  await limiter.ready()
  const first = await limiter.check('bob', { cost: 2, note: 'first' })
  expect(first).toMatchObject({ allowed: true, source: 'redis' })
  await first.settle(1)
  await first.refund()
  await limiter.penalize('bob', 3)
  await limiter.reward('bob', 1)
  await limiter.penalize('bob', { wait: '1s' })
  expect(await limiter.check('bob', { note: 'second' })).toMatchObject({ allowed: false, source: 'redis' })
  await limiter.block('bob', '1m')
  expect(await limiter.check('bob')).toMatchObject({ reason: 'blocked', source: 'redis' })
  await limiter.inspect('bob')
  await limiter.set('bob', 2)
  await limiter.unblock('bob')
  expect(await limiter.peek('bob')).toMatchObject({ source: 'redis' })
  await limiter.reset('bob')
  expect(limiter.health()).toMatchObject({ failures: 0, fallbackDecisions: 0 })
  await limiter.close()
  await useSlots(store)
  await store.close()
}

/** Takes a place in flight, renews it and frees it. */
async function useSlots(store: Store): Promise<void> {
  const name = randomBytes(6).toString('hex')
  const slots = createLimiter({ name, store, policy: concurrency({ limit: 1 }) })
  const decision = await slots.check('bob')
  const held = decisions.verdictsBehind(decision).map(({ check, row: { receipt } }) => ({ check, receipt }))
  expect(await store.renew?.(held)).toEqual(['held'])
  await decision.release()
  expect(await slots.peek('bob')).toMatchObject({ remaining: 1, source: 'redis' })
  await slots.close()
}
