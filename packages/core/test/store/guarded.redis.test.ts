import { describeStore, redisUnderTest } from '@sluice/conformance'
import { guardedStore } from '../../src/index.ts'
import { socket } from '../redis-socket.ts'

// The deadline is the guard's own matter, tested beside it: here a busy machine must not pass for an outage.
describeStore('guarded redis, through ioredis 5', async () => {
  const subject = await redisUnderTest(socket, { client: 'ioredis 5' })
  const store = guardedStore(subject.store, { deadline: '20s' })
  return { ...subject, store, close: () => store.close().then(subject.close) }
})
