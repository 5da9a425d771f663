export type { Fault } from './fault.ts'
export { FaultyServer } from './faulty-server.ts'
export { freePort, RedisProcess } from './redis-process.ts'
export { until } from './until.ts'
