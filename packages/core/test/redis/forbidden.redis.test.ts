import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { concurrency, createLimiter, fixedWindow, type Logger, redisStore } from '../../src/index.ts'
import { silent } from '../cluster/application.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'

let own: OwnServer
beforeAll(async () => {
  own = await startOwnServer()
})
afterAll(() => own.end())

it('health() is degraded from a command that the user may not run until its check counts again; one warning says so', async () => {
  await own.admin.call('ACL', 'SETUSER', 'default', '-get')
  const lines: string[] = []
  const logger: Logger = { warn: (line) => lines.push(line), error: () => {} }
  const store = redisStore(own.admin, { deadline: '10s' })
  const forbidden = createLimiter({
    name: 'a',
    policy: fixedWindow({ limit: 5, window: '1h' }),
    store,
    logger,
  })
  const other = createLimiter({ name: 'b', policy: concurrency({ limit: 5 }), store, logger: silent })
  for (const key of ['ann', 'bob']) {
    expect((await forbidden.check(key)).source).toBe('fallback')
    expect((await other.check(key)).source).toBe('redis')
    expect(store.health?.().status).toBe('degraded')
  }
  expect(store.health?.().warnings).toContain('SLUICE_FORBIDDEN')
  expect(lines.filter((line) => line.includes('SLUICE_FORBIDDEN'))).toHaveLength(1)
  await own.admin.call('ACL', 'SETUSER', 'default', '+get')
  expect((await forbidden.check('carl')).source).toBe('redis')
  expect(store.health?.().status).toBe('ok')
  for (const each of [forbidden, other, store]) await each.close()
})
