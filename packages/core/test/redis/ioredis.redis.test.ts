import { afterEach, describe, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { scriptOf } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'

const answer = scriptOf('return { KEYS[1], ARGV[1] }')
let client: Redis
afterEach(() => client.disconnect())

describe('an ioredis client', () => {
  it.each([true, false])('that is not connected yet is waited for: lazy %s', async (lazyConnect) => {
    client = new Redis({ path: socket, lazyConnect })
    const connection = fromIoredis(client)
    const answers = await Promise.all([connection.run(answer, ['k'], [1]), connection.send('PING', [])])
    expect(answers).toEqual([['k', '1'], 'PONG'])
  })

  it('whose server is not there fails at once', async () => {
    const { port } = await RedisProcess.prepare()
    client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: null, disconnectTimeout: 10 })
    client.on('error', () => {})
    const asked = fromIoredis(client).run(answer, ['k'], [1])
    await expect(asked).rejects.toMatchObject({ code: 'SLUICE_STORE', message: 'not connected' })
  })
})
