import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { Opened } from './stream/opened.ts'

const program = process.env.SLUICE_REDIS_62

// Where no binary is named there is nothing to run it on: SLUICE_REDIS_62 is the path of a redis-server 6.2 or a valkey-server.
const describeOldest = program === undefined ? describe.skip : describe

describeOldest('on the oldest server that is supported (SLUICE_REDIS_62)', () => {
  let server: RedisProcess
  beforeAll(async () => {
    server = await RedisProcess.prepare([], { program })
    await server.start()
  })
  afterAll(() => server.end())

  it('entries are offered, tried again, taken over, given back and finished', async () => {
    const opened = new Opened({}, new Redis(server.url))
    await opened.fill(6)
    const dead = await opened.join().take(3, AbortSignal.abort())
    await opened.age(dead, 'dead')
    await opened.client.xdel(opened.key('e'), dead[0]?.mark ?? '')
    opened.work(
      async ({ n }, { attempt }) => {
        if (n === 2 || (n === 4 && attempt === 1)) throw new Error('no')
      },
      { concurrency: 2 },
    )
    await opened.ended(5)
    expect(await opened.queue.health()).toMatchObject({ waiting: 0, running: 0, done: 4, dead: 1 })
    await opened.close()
  })
})
