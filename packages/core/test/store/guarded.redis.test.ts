import { describeStore } from '@sluice/conformance'
import { asOneMoreWay, baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

// The deadline is the guard's own matter, tested beside it: here a busy machine must not pass for an outage. What it remembers of
// the store goes by the same time.
describeStore('guarded redis, through ioredis 5', async () => {
  const subject = asOneMoreWay(await redisUnderTest(socket, { client: 'ioredis 5' }))
  let nowUs = baseUs
  const store = guard(subject.store, readGuardOptions({ deadline: '20s' }), { nowUs: () => nowUs })
  return {
    ...subject,
    store,
    async setClock(us) {
      nowUs = us
      await subject.setClock(us)
    },
    close: () => store.close().then(subject.close),
  }
})
