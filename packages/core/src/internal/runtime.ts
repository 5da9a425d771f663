export { closedSocket, nextTurn, RandomMark, requestsApart } from '../runtime.ts'
