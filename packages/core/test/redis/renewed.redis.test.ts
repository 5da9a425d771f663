import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { it } from '@jest/globals'
import { until } from '@sluice/faults/outage'
import { type RedisOptions, redisStore } from '../../src/index.ts'

it.each<[string, (at: string) => RedisOptions]>([
  ['a server', (at) => ({ url: `redis://${at}` })],
  ['a cluster', (at) => ({ cluster: [at] })],
  ['Sentinels', (at) => ({ sentinels: [at], master: 'mymaster' })],
])(
  'the certificate for %s is asked for at each connection, so that one which was renewed needs no restart',
  async (_to, placeAt) => {
    const server = createServer((socket) => socket.on('error', () => {}).destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // of a TCP server
    let asked = 0
    const tls = {
      get cert() {
        asked++
        return undefined
      },
    }
    const store = redisStore({ ...placeAt(`127.0.0.1:${port}`), tls })
    const asks = () => asked
    // One connection may ask more than once.
    await until(async () => asks() > 0, { what: 'the first connection' })
    const first = asks()
    await until(async () => asks() > 2 * first, { what: 'further ones' })
    await store.close()
    server.close()
  },
)
