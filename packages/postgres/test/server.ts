import { randomBytes } from 'node:crypto'
import { Pool, type PoolConfig } from 'pg'

/** Where the socket of this run's server is, as jest's set-up has started it. */
export const folder: string = process.env.SLUICE_TEST_POSTGRES_DIR ?? ''

export function poolOf(config: PoolConfig = {}): Pool {
  return new Pool({ host: folder, user: 'sluice', database: 'postgres', max: 10, ...config })
}

/** A table that no other test has. */
export function freshTable(): string {
  return `states_${randomBytes(6).toString('hex')}`
}
