export { readReason } from '../limiter/acting.ts'
export { Reports, readLogger, readObservers } from '../observer.ts'
