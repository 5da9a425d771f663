export { type Fault, FaultyServer } from './faulty-server.ts'
export { RedisProcess } from './redis-process.ts'
