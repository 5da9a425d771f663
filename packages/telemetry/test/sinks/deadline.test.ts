import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { redisSink, timeSeriesSink } from '../../src/index.ts'

it.each([
  ['redisSink', redisSink],
  ['timeSeriesSink', timeSeriesSink],
])('%s waits for a Redis that never answers as long as its deadline says', async (_who, open) => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const sink = open({ redis: `redis://127.0.0.1:${port}`, deadline: '30ms' })
  await expect(sink.nowMs?.()).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('no answer within 30 ms'),
  })
  await sink.close?.()
  for (const socket of sockets) socket.destroy()
  server.close()
})
