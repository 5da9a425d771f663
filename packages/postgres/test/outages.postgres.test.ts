import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, isStoreError, type Limiter, type Policy, type Store } from '@sluice/core'
import type { Pool } from 'pg'
import { createTable, type PostgresPool, type PostgresStoreOptions, postgresStore } from '../src/index.ts'
import { lend } from '../src/pool.ts'
import { Link } from './link.ts'
import { freshTable, poolOf } from './server.ts'

const policy = fixedWindow({ limit: 5, window: '1h' })
const logger = { warn() {}, error() {} }
const table = freshTable()
const own = poolOf()
const opened: { close(): Promise<void> }[] = []

beforeAll(() => createTable(own, { table }))
afterAll(async () => {
  for (const each of opened) await each.close()
  await own.end()
})

let names = 0
function limiterOn(
  pool: PostgresPool,
  options: PostgresStoreOptions = {},
): { store: Store; limiter: Limiter<{ readonly default: Policy<'refund' | 'penalize' | 'reward'> }> } {
  const store = postgresStore(pool, { table, deadline: '1s', ...options })
  const limiter = createLimiter({ name: `outage ${names++}`, policy, store, logger })
  opened.push(limiter, store)
  return { store, limiter }
}

/** A pool that the end of the tests closes; `application` is its name at the server. */
function pooled(application: string): Pool {
  const pool = poolOf({ application_name: application })
  opened.push({ close: () => pool.end() })
  return pool
}

async function terminate(application: string): Promise<void> {
  await own.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
    application,
  ])
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + 20_000; performance.now() < endMs; ) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('it has not come true')
}

function causesOf(error: unknown): object[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

const backAgain = (limiter: { peek(key: string): Promise<{ source: string }> }) =>
  until(async () => (await limiter.peek('somebody else')).source === 'postgres')

describe('PostgreSQL', () => {
  it('that hangs up between a read and its write has written nothing, and counts on afterwards', async () => {
    const pool = pooled('between')
    let ends = false
    const cut: PostgresPool = {
      async query(statement) {
        if (ends && statement.text.includes('_write')) {
          ends = false
          await terminate('between')
        }
        return pool.query(statement)
      },
      connect: () => pool.connect(),
      on: (event, listener) => pool.on(event, listener),
    }
    const { limiter } = limiterOn(cut)
    expect(await limiter.check('bob')).toMatchObject({ remaining: 4, source: 'postgres' })
    ends = true
    const decision = await limiter.check('bob')
    expect(decision.allowed).toBe(true)
    await backAgain(limiter)
    // A connection may have been free that was not cut: then it was written, and only then.
    expect((await limiter.peek('bob')).remaining).toBe(decision.source === 'postgres' ? 3 : 4)
  })

  it('that hangs up while a write waits has written nothing', async () => {
    const pool = pooled('waiting')
    const { limiter } = limiterOn(pool, { deadline: '20s', statementDeadline: '20s' })
    expect(await limiter.check('bob')).toMatchObject({ remaining: 4, source: 'postgres' })
    const holder = await own.connect()
    await holder.query('BEGIN')
    await holder.query(`SELECT 1 FROM "${table}" FOR UPDATE`)
    const decision = limiter.check('bob')
    const waits =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'waiting' AND wait_event_type = 'Lock'"
    await until(async () => (await own.query(waits)).rows.length > 0)
    await terminate('waiting')
    expect(await decision).toMatchObject({ allowed: true, source: 'fallback' })
    await holder.query('ROLLBACK')
    holder.release()
    await backAgain(limiter)
    expect(await limiter.peek('bob')).toMatchObject({ remaining: 4, source: 'postgres' })
  })

  it('that ends a connection in the packet that makes it free ends no process', async () => {
    const link = new Link()
    await link.listen()
    opened.push(link)
    const pool = poolOf({ host: link.folder, application_name: 'at once' })
    opened.push({ close: () => pool.end() })
    link.hold()
    const errors: Error[] = []
    const lending = lend(pool, (error) => errors.push(error))
    const isFree = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'at once' AND state = 'idle'"
    await until(async () => (await own.query(isFree)).rows.length > 0)
    await terminate('at once')
    const isGone = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'at once'"
    await until(async () => (await own.query(isGone)).rows.length === 0)
    link.pass()
    const client = await lending
    await until(async () => errors.length > 0)
    expect(errors[0]).toMatchObject({ code: '57P01' })
    client.release(true)
  })

  it('that falls silent holds nobody up longer than the deadline, and counts again when it answers', async () => {
    const link = new Link()
    await link.listen()
    opened.push(link)
    const pool = poolOf({ host: link.folder, connectionTimeoutMillis: 500 })
    opened.push({ close: () => pool.end() })
    const { limiter } = limiterOn(pool, { deadline: '300ms', statementDeadline: '500ms' })
    await limiter.ready()
    expect(await limiter.check('bob')).toMatchObject({ source: 'postgres' })
    link.fallSilent()
    // It speaks again only when this has been answered.
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, source: 'fallback' })
    link.speak()
    await backAgain(limiter)
  })

  it('whose idle connections all break ends no process', async () => {
    const pool = pooled('idle')
    const { limiter, store } = limiterOn(pool)
    await limiter.ready()
    expect(pool.listenerCount('error')).toBe(1)
    await terminate('idle')
    await until(async () => pool.totalCount === 0)
    await backAgain(limiter)
    await store.close()
    expect(pool.listenerCount('error')).toBe(0)
  })

  it('without the table says what to do, and is well once that is done', async () => {
    const missing = freshTable()
    const { limiter, store } = limiterOn(own, { table: missing })
    const message = `there is no table "${missing}" with its function "${missing}_write": call createTable(pool) once`
    await expect(limiter.ready()).resolves.toBeUndefined()
    expect(limiter.health().status).not.toBe('ok')
    await expect(store.ready?.()).rejects.toThrow(message)
    const error = await limiter.inspect('bob').catch((reason: unknown) => reason)
    expect(isStoreError(error)).toBe(true)
    await createTable(own, { table: missing })
    await backAgain(limiter)
    expect(await limiter.check('bob')).toMatchObject({ source: 'postgres' })
  })

  it('that shows arguments in its errors shows no key in ours, nor in their causes', async () => {
    // Those of the statement that has failed stand in the error's context.
    const pool = poolOf({ options: '-c log_parameter_max_length_on_error=-1' })
    opened.push({ close: () => pool.end() })
    const { store, limiter } = limiterOn(pool)
    await own.query(`ALTER TABLE "${table}" ADD CONSTRAINT short CHECK (key NOT LIKE '%secret%') NOT VALID`)
    const heard: unknown[] = []
    store.watch?.({ event: ({ error }) => heard.push(error), warned() {} })
    await limiter.check('secret')
    const error: unknown = await limiter.block('secret', '1m').catch((reason: unknown) => reason)
    await own.query(`ALTER TABLE "${table}" DROP CONSTRAINT short`)
    const texts = [...heard, error].flatMap((each) =>
      causesOf(each).map((one) => JSON.stringify(one, Object.getOwnPropertyNames(one))),
    )
    expect(texts.join()).toContain('violates check constraint')
    expect(texts.filter((text) => text.includes('secret'))).toEqual([])
  })

  it('that refuses the password says so, and not which it was', async () => {
    await own.query(
      "DO $$ BEGIN CREATE ROLE locked LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN END $$",
    )
    const pool = poolOf({ user: 'locked', password: 'wrong-secret' })
    opened.push({ close: () => pool.end() })
    const { limiter, store } = limiterOn(pool)
    const error: unknown = await store.ready?.().catch((reason: unknown) => reason)
    expect(String(error)).toContain('password authentication failed for user "locked"')
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('wrong-secret')
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, source: 'fallback' })
  })
})
