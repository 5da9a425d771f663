import { describeStore, redisUnderTest } from '@sluice/conformance'
import { guardedStore } from '../../src/index.ts'
import { socket } from '../redis-socket.ts'

/** What the guard keeps in mind of a lost lease goes by its own clock, on which that lease has not ended. */
const reason = 'the test moves the clock of the store alone'

// The deadline is the guard's own matter, tested beside it: here a busy machine must not pass for an outage.
describeStore('guarded redis, through ioredis 5', async () => {
  const subject = await redisUnderTest(socket, { client: 'ioredis 5' })
  const store = guardedStore(subject.store, { deadline: '20s' })
  return { ...subject, store, close: () => store.close().then(subject.close) }
}, [
  { cases: 'once it has ended only if its place is free', reason },
  { cases: 'is renewed with all its units, or not at all', reason },
])
