export { readMaxWait, readSignal } from '../reserving/options.ts'
export { wakeQuietly } from '../waiting/alarm.ts'
export { Sleepers, sleepAmong, sleepersOf } from '../waiting/sleepers.ts'
export { factorOf, type Jitter, lengthened, readJitter, usualJitter, type Wait } from '../waiting/wait.ts'
