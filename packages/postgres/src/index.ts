export type { PostgresClient, PostgresPool, PostgresQueries, PostgresQuery } from './pool.ts'
export { type PostgresStoreOptions, postgresStore } from './postgres-store.ts'
export { createTable, type TableOptions, tableSql } from './table.ts'
