import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { operations, readOperations } from '../src/index.ts'

it.each([
  ['a process that takes part', operations],
  ['a program that looks from outside', readOperations],
])('%s waits for a Redis that never answers as long as its deadline says', async (_who, open) => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const opened = open({ redis: `redis://127.0.0.1:${port}`, deadline: '30ms' })
  await expect(opened.lists.put({ list: 'deny', key: 'bob' }, '1h')).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('no answer within 30 ms'),
  })
  await opened.close()
  for (const socket of sockets) socket.destroy()
  server.close()
})

it('a deadline that is none is refused', () => {
  for (const deadline of [0, -1, 'soon'])
    expect(() => operations({ redis: 'redis://127.0.0.1:1', deadline: deadline as never })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'deadline' }),
    )
})
