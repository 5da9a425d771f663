export { readMaxWait, readSignal } from '../reserving/options.ts'
export { wakeQuietly } from '../waiting/alarm.ts'
export { hear, Sleepers, sleepAmong, sleepersOf } from '../waiting/sleepers.ts'
export { lengthened, readJitter, type Wait } from '../waiting/wait.ts'
