import { describe, expect, it, jest } from '@jest/globals'
import { Client } from 'pg'
import {
  createTable,
  type PostgresPool,
  type PostgresStoreOptions,
  postgresStore,
  tableSql,
} from '../src/index.ts'

const pool: PostgresPool = {
  query: () => Promise.reject(new Error('asked')),
  connect: () => Promise.reject(new Error('asked')),
}

describe('postgresStore', () => {
  it.each([
    [
      'no pool',
      undefined,
      {},
      'pool: expected a Pool of pg, such as new Pool({ connectionString }), got undefined',
    ],
    [
      'a URL',
      'postgres://localhost',
      {},
      'pool: expected a Pool of pg, such as new Pool({ connectionString }), got "postgres://localhost" (string)',
    ],
    [
      'a pool that lends no connection',
      { query: pool.query },
      {},
      'pool: expected a Pool of pg, such as new Pool({ connectionString }), got an object',
    ],
    [
      'a client',
      new Client(),
      {},
      'pool: expected a Pool of pg, such as new Pool({ connectionString }), got an object (Client)',
    ],
    ['no such option', pool, { tabel: 'a' }, 'did you mean "table"?'],
    ['a deadline that is none', pool, { deadline: 'soon' }, 'deadline: expected'],
    ['a deadline of statements that is none', pool, { statementDeadline: 0 }, 'statementDeadline: expected'],
    ['a sweep that never comes', pool, { sweepEvery: Number.POSITIVE_INFINITY }, 'sweepEvery: expected'],
  ])('refuses %s', (_title, given, options, message) => {
    expect(() => postgresStore(given as never, options as never)).toThrow(message)
  })

  it.each([
    [60, [[expect.stringContaining("SLUICE_SHORT_TIME: sweepEvery is 60 ms: for seconds write '60s'")]]],
    ['60ms', []],
    ['1m', []],
  ])('with a sweep every %p', async (sweepEvery, warned) => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
    const store = postgresStore(pool, { sweepEvery } as PostgresStoreOptions)
    expect(warn.mock.calls).toEqual(warned)
    warn.mockRestore()
    await store.close()
  })

  it('refuses a URL for a pool also where its table is made', async () => {
    await expect(createTable('postgres://localhost' as never)).rejects.toThrow(
      'pool: expected a Pool of pg, such as new Pool({ connectionString }), got "postgres://localhost" (string)',
    )
  })

  it.each(['', 'a b', 'a"; DROP TABLE users; --', "a'b", 'a.b.c', '.a', '1a', 'é', 'a'.repeat(51), 7])(
    'refuses %p as a table',
    async (table) => {
      const message = 'table: expected a name or schema.name, of letters, digits and _, at most 50 each, got'
      expect(() => postgresStore(pool, { table: table as never })).toThrow(message)
      expect(() => tableSql({ table: table as never })).toThrow(message)
      await expect(createTable(pool, { table: table as never })).rejects.toThrow(message)
    },
  )
})
