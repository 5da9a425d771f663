import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Policies } from '@sluice/core'
import type { Pool, PoolClient } from 'pg'
import { createTable, type PostgresPool, type PostgresStoreOptions, postgresStore } from '../src/index.ts'
import { readTable } from '../src/table.ts'
import { transactIn } from '../src/transact.ts'
import { freshTable, poolOf } from './server.ts'

const five = fixedWindow({ limit: 5, window: '1h' })
const table = freshTable()
const own = poolOf()
const opened: { close(): Promise<void> }[] = []
const logged: string[] = []
const logger = { warn: (line: string) => logged.push(line), error: (line: string) => logged.push(line) }

beforeAll(() => createTable(own, { table }))
afterAll(async () => {
  for (const each of opened.reverse()) await each.close()
  await own.end()
})

function pooled(application: string, max = 10, options = ''): Pool {
  const pool = poolOf({ application_name: application, max, options })
  opened.push({ close: () => pool.end() })
  return pool
}

/** A process: nothing here bounds the wall clock but the deadlines of those who are to reach them. */
function limiterOn<P extends Policies>(pool: PostgresPool, policies: P, options: PostgresStoreOptions = {}) {
  const store = postgresStore(pool, { table, deadline: '20s', statementDeadline: '30s', ...options })
  const limiter = createLimiter({ name: 'hot', policies, store, logger })
  opened.push(limiter, store)
  return limiter
}

const name = (key: string, policy = 'only') => `sl3:{${key}}:hot:${policy}:fw`

/** Somebody's transaction that holds keys, until it is let go. */
async function hold(...names: string[]): Promise<{ letGo(): Promise<void> }> {
  const holder: PoolClient = await own.connect()
  await holder.query('BEGIN')
  for (const each of names)
    await holder.query(
      `SELECT pg_advisory_xact_lock(hashtextextended($1, '"${table}"'::regclass::oid::bigint))`,
      [each],
    )
  return {
    async letGo() {
      await holder.query('ROLLBACK')
      holder.release()
    },
  }
}

/** Opened by hand. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The same pool; `locked` is called whenever a lock was asked for, and waited for before its answer is heard. */
function heard(pool: Pool, locked: (answered: boolean) => Promise<void> | void): PostgresPool {
  return {
    query: (statement) => pool.query(statement),
    async connect() {
      const client = await pool.connect()
      return {
        async query(statement) {
          if (!statement.text.includes('_lock"(')) return client.query(statement)
          await locked(false)
          const found = await client.query(statement)
          await locked(true)
          return found
        },
        on: (event, listener) => client.on(event, listener),
        off: (event, listener) => client.off(event, listener),
        release: (broken) => client.release(broken),
      }
    },
  }
}

/** Connections of an application that wait for a lock. */
async function waitingOf(application: string): Promise<number> {
  const text =
    "SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND state = 'active' AND wait_event_type = 'Lock'"
  return (await own.query(text, [application])).rows.length
}

describe('a key that somebody holds', () => {
  it('takes one connection however many ask for it, and half of them however many such keys there are', async () => {
    const pool = pooled('many', 4)
    const limiter = limiterOn(pool, { only: five })
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => `many ${key}`)
    const [first = ''] = keys
    const one = await hold(name(first))
    const asked = Array.from({ length: 50 }, () => limiter.check(first))
    await until(async () => (await waitingOf('many')) === 1)
    expect(pool.waitingCount).toBe(0)
    const others = await hold(...keys.slice(1).map((key) => name(key)))
    asked.push(...keys.slice(1).map((key) => limiter.check(key)))
    await until(async () => (await waitingOf('many')) === 2)
    expect(await limiter.check('a bystander')).toMatchObject({ source: 'postgres' })
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    expect(await waitingOf('many')).toBe(2)
    await one.letGo()
    await others.letGo()
    const decisions = await Promise.all(asked)
    expect(decisions.every(({ source }) => source === 'postgres')).toBe(true)
    expect(decisions.slice(0, 50).filter(({ allowed }) => allowed)).toHaveLength(5)
  })

  it('is counted here past the deadline, takes nothing afterwards, and is nobody else’s failure', async () => {
    const pool = pooled('late')
    const limiter = limiterOn(pool, { only: five }, { deadline: '500ms', connectDeadline: '20s' })
    await limiter.ready()
    const holder = await hold(name('late'))
    for (let round = 0; round < 4; round++) {
      const decisions = await Promise.all([1, 2, 3].map(() => limiter.check('late')))
      expect(decisions.map(({ source }) => source)).toEqual(['fallback', 'fallback', 'fallback'])
      expect(limiter.health().breaker).toBe('closed')
    }
    await holder.letGo()
    await until(async () => (await waitingOf('late')) === 0)
    expect((await own.query(`SELECT 1 FROM "${table}" WHERE key = $1`, [name('late')])).rows).toEqual([])
    expect(limiter.health().lateReplies).toBe(0)
    expect(logged.filter((line) => line.includes('sl3:'))).toEqual([])
  })

  it('holds up no other client of a resource that both ask for', async () => {
    const limiter = limiterOn(pooled('both'), {
      client: five,
      resource: fixedWindow({ limit: 99, window: '1h' }),
    })
    const holder = await hold(name('zed', 'client'))
    const held = limiter.check({ client: 'zed', resource: 'both' })
    await until(async () => (await waitingOf('both')) === 1)
    for (let i = 0; i < 20; i++) {
      const decision = await limiter.check({ client: `client ${i}`, resource: 'both' })
      expect(decision).toMatchObject({ allowed: true, source: 'postgres' })
    }
    await holder.letGo()
    expect(await held).toMatchObject({ allowed: true, source: 'postgres' })
    expect((await limiter.peek({ client: 'zed', resource: 'both' })).verdicts.resource?.remaining).toBe(78)
  })
})

describe('processes that are at the same keys at once', () => {
  it('come to an end, and count exactly, in whichever order each has them', async () => {
    const wide = fixedWindow({ limit: 40, window: '1h' })
    const processes = [0, 1, 2].map((i) => limiterOn(pooled(`order ${i}`, 3), { a: wide, b: wide }))
    const checks = processes.flatMap((limiter, i) =>
      Array.from({ length: 40 }, (_, n) =>
        limiter.check((i + n) % 2 === 0 ? { a: 'x', b: 'y' } : { a: 'y', b: 'x' }),
      ),
    )
    const decisions = await Promise.all(checks)
    expect(decisions.every(({ source }) => source === 'postgres')).toBe(true)
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(80)
  })

  it('wait no longer than half of a deadline for one that stands still with the lock', async () => {
    const pool = pooled('stands still')
    const standing = gate()
    const locked = gate()
    const paused = heard(pool, (answered) => {
      if (!answered) return
      locked.open()
      return standing.opened
    })
    const holder = await hold(name('still'))
    const place = { pool: paused, names: readTable(table), statementMs: 30_000 }
    const add = (states: readonly (string | null)[]) => ({
      result: Number(states[0] ?? 0),
      writes: [{ key: name('still'), state: String(Number(states[0] ?? 0) + 1), ttlMs: 3_600_000 }],
    })
    const first = transactIn(place)([name('still')], add, 400)
    await until(async () => (await waitingOf('stands still')) === 1)
    await holder.letGo()
    await locked.opened
    const other = transactIn({ ...place, pool: pooled('goes on') })
    expect(await other([name('still')], add)).toBe(0)
    standing.open()
    await first.catch(() => {})
    const read = (states: readonly (string | null)[]) => ({ result: states[0], writes: [] })
    expect(['1', '2']).toContain(await other([name('still')], read))
  })
})

describe('a transaction', () => {
  const add = (key: string) => (states: readonly (string | null)[]) => ({
    result: Number(states[0] ?? 0),
    writes: [{ key, state: String(Number(states[0] ?? 0) + 1), ttlMs: 3_600_000 }],
  })
  const read = (states: readonly (string | null)[]) => ({ result: states[0], writes: [] })
  const place = (pool: PostgresPool) => ({ pool, names: readTable(table), statementMs: 30_000 })

  it('whose write comes after the deadline writes nothing, as of a server that hung', async () => {
    const pool = pooled('hung')
    const hung = { now: true }
    const slow: PostgresPool = {
      connect: () => pool.connect(),
      async query(statement) {
        if (hung.now && statement.text.includes('_write'))
          await new Promise((resolve) => setTimeout(resolve, 150))
        return pool.query(statement)
      },
    }
    const transact = transactIn(place(slow))
    await expect(transact(['hung'], add('hung'), 100)).rejects.toThrow('no answer within 100 ms')
    hung.now = false
    expect(await transact(['hung'], read)).toBeNull()
    expect(await transact(['hung'], add('hung'), 20_000)).toBe(0)
  })

  it('that is ended while it waits for its turn, or in it, has written nothing', async () => {
    const pool = pooled('ended')
    const transact = transactIn(place(pool))
    const holder = await hold('ended')
    const waiting = transact(['ended'], add('ended'))
    await until(async () => (await waitingOf('ended')) === 1)
    await own.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'")
    await expect(waiting).rejects.toMatchObject({ code: 'SLUICE_STORE', sqlState: '57P01' })
    await holder.letGo()
    expect(await transact(['ended'], read)).toBeNull()
    const fault = new Error('change has failed')
    const fail = () => {
      throw fault
    }
    await expect(transact(['ended'], fail)).rejects.toBe(fault)
    expect(await transact(['ended'], add('ended'))).toBe(0)
    expect(await transact(['ended'], read)).toBe('1')
  })

  it('that has had its turn leaves no listener on its connection', async () => {
    const pool = pooled('listeners', 1)
    const listeners = async () => {
      const client = await pool.connect()
      const count = client.listenerCount('error')
      client.release()
      return count
    }
    const before = await listeners()
    const holder = await hold('listeners')
    const waiting = transactIn(place(pool))(['listeners'], add('listeners'))
    await until(async () => (await waitingOf('listeners')) === 1)
    await holder.letGo()
    expect(await waiting).toBe(0)
    expect(await listeners()).toBe(before)
  })

  it('that waits for a key holds no other meanwhile', async () => {
    const transact = transactIn(place(pooled('empty-handed')))
    const [a, z] = [await hold('hand a'), await hold('hand z')]
    const both = transact(['hand a', 'hand z'], () => ({
      result: 'both',
      writes: ['hand a', 'hand z'].map((key) => ({ key, state: '9', ttlMs: 3_600_000 })),
    }))
    await until(async () => (await waitingOf('empty-handed')) === 1)
    await a.letGo()
    const handsOf = `SELECT count(*) FILTER (WHERE NOT granted)::int AS waits, count(*) FILTER (WHERE granted)::int AS holds
      FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND application_name = 'empty-handed'`
    await until(async () => {
      const { waits, holds } = (await own.query(handsOf)).rows[0]
      return waits === 1 && holds === 0
    })
    expect(await transactIn(place(pooled('other hand')))(['hand a'], add('hand a'))).toBe(0)
    await z.letGo()
    expect(await both).toBe('both')
  })

  it.each([
    ['a statement_timeout', '-c statement_timeout=50', 2],
    ['a lock_timeout', '-c lock_timeout=5', 1],
    ['serializable transactions', '-c default_transaction_isolation=serializable', 1],
  ])(
    'waits for its turn under %s of its role, and reads what the one before it has written',
    async (title, options, least) => {
      const pool = pooled(title, 3, options)
      let turns = 0
      const counted = heard(pool, (answered) => {
        if (!answered) turns++
      })
      const holder = await hold(title)
      const waiting = transactIn(place(counted))([title], add(title))
      await until(async () => turns >= least && (await waitingOf(title)) === 1)
      await own.query(`INSERT INTO "${table}" VALUES ($1, '7', now() + interval '1h')`, [title])
      await holder.letGo()
      expect(await waiting).toBe(7)
      if (least === 1) expect(turns).toBe(1)
    },
  )
})
