export { endedStream, type Marked, nextTurn, RandomMark, requestsApart } from '../runtime.ts'
