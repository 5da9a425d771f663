import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow, gcra } from '@sluice/core'
import { createTable, postgresStore } from '../src/index.ts'
import { read, write } from '../src/statements.ts'
import { Sweeper } from '../src/sweeper.ts'
import { readTable } from '../src/table.ts'
import { freshTable, poolOf } from './server.ts'

const pool = poolOf()
afterAll(() => pool.end())
afterEach(() => void jest.useRealTimers())

/** What the store repeats happens when the test moves the time; what else it waits for happens by itself. */
function fakeIntervals(): void {
  jest.useFakeTimers({
    doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
  })
}

describe('the table', () => {
  it('is made by any number of processes at once, also in a schema', async () => {
    const schema = freshTable()
    await pool.query(`CREATE SCHEMA ${schema}`)
    const table = `${schema}.Limits`
    await Promise.all(Array.from({ length: 6 }, () => createTable(pool, { table })))
    const store = postgresStore(pool, { table, deadline: '10s' })
    const limiter = createLimiter({ policy: gcra({ count: 2, period: '1h' }), store })
    expect(await limiter.check('bob')).toMatchObject({ remaining: 1, source: 'postgres' })
    const { rows } = await pool.query(`SELECT key, expires_at > now() AS lives FROM ${schema}."Limits"`)
    expect(rows).toEqual([{ key: 'sl3:{bob}:gc', lives: true }])
    await limiter.reset('bob')
    expect((await pool.query(`SELECT key FROM ${schema}."Limits"`)).rows).toEqual([])
    await store.close()
  })

  it('gives a row the life of its state to the millisecond', async () => {
    const table = freshTable()
    await createTable(pool, { table })
    const place = { pool, names: readTable(table), statementMs: 20_000 }
    const { rows: before } = await pool.query('SELECT clock_timestamp() AS at')
    const snapshot = await read(place, ['k'])
    const writes = [{ key: 'k', state: '[]', ttlMs: 3_600_999 }]
    const untilMs = performance.now() + 600_000
    expect(await write(place, snapshot, { writes, untilMs, lockMs: 10_000 })).toBeUndefined()
    const left = `SELECT extract(epoch FROM expires_at - $1::timestamptz)::float AS seconds FROM ${table}`
    const { rows } = await pool.query(left, [before[0].at])
    expect(rows[0].seconds).toBeGreaterThanOrEqual(3600.999)
  })

  it('loses the rows whose time is over, a thousand at a time, and no others', async () => {
    const table = freshTable()
    await createTable(pool, { table })
    await pool.query(`INSERT INTO ${table} SELECT n, '[]', now() + make_interval(secs => n - 2500.5)
      FROM generate_series(1, 2600) AS n`)
    const sweeper = new Sweeper({ pool, names: readTable(table), statementMs: 20_000 }, 3_600_000)
    const swept = await Promise.all([sweeper.sweep(), sweeper.sweep()])
    await sweeper.stop()
    expect(swept[0] + swept[1]).toBeGreaterThanOrEqual(2500)
    const { rows } = await pool.query(`SELECT count(*)::int AS left FROM ${table}`)
    expect(rows[0].left).toBe(2600 - swept[0] - swept[1])
  })

  it('loses them now and then by itself, until the store is closed', async () => {
    fakeIntervals()
    // Of one connection, so that what is asked after a round is answered after it.
    const single = poolOf({ max: 1 })
    const table = freshTable()
    await createTable(single, { table })
    const store = postgresStore(single, { table, sweepEvery: '1m' })
    const insert = `INSERT INTO ${table} VALUES ('dead', '[]', now() - interval '1s')`
    const left = async () => (await single.query(`SELECT 1 FROM ${table}`)).rows.length
    await single.query(insert)
    jest.advanceTimersByTime(60_000)
    expect(await left()).toBe(0)
    await store.close()
    await single.query(insert)
    jest.advanceTimersByTime(60_000)
    expect(await left()).toBe(1)
    await single.end()
  })

  it('is asked nothing any more once the store is closed', async () => {
    fakeIntervals()
    const table = freshTable()
    await createTable(pool, { table })
    const store = postgresStore(pool, { table, sweepEvery: '1m', statementDeadline: '20s' })
    const holder = await pool.connect()
    await holder.query(`BEGIN; LOCK TABLE ${table}`)
    jest.advanceTimersByTime(60_000)
    const order: string[] = []
    const closed = store.close().then(() => order.push('closed'))
    await holder.query('SELECT 1')
    order.push('unlocked')
    await holder.query('COMMIT')
    holder.release()
    await closed
    expect(order).toEqual(['unlocked', 'closed'])
  })

  it('counts exactly where all transactions are serializable', async () => {
    const table = freshTable()
    await createTable(pool, { table })
    const strict = poolOf({ options: '-c default_transaction_isolation=serializable', max: 8 })
    const store = postgresStore(strict, { table, deadline: '30s', statementDeadline: '30s' })
    const limiter = createLimiter({ policy: fixedWindow({ limit: 20, window: '1h' }), store })
    const decisions = await Promise.all(Array.from({ length: 60 }, () => limiter.check('bob')))
    expect(decisions.filter(({ allowed, source }) => allowed && source === 'postgres')).toHaveLength(20)
    await store.close()
    await strict.end()
  })
})
