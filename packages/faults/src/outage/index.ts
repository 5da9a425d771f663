export type { Fault } from './fault.ts'
export { FaultyServer } from './faulty-server.ts'
export { RedisProcess } from './redis-process.ts'
export { until } from './until.ts'
