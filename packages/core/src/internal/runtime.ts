export { endedStream, nextTurn, RandomMark, requestsApart } from '../runtime.ts'
