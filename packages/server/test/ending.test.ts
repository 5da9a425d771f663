import { once } from 'node:events'
import { connect } from 'node:net'
import { connectivityState } from '@grpc/grpc-js'
import { afterEach, expect, it } from '@jest/globals'
import { memoryStore, type Store } from '@sluice/core'
import { descriptor } from './client.ts'
import { type Served, served } from './served.ts'

const limits = 'schema: { shop: { children: { user: { children: { "*": { limits: [50, 100, 60] } } } } } }'
let service: Served | undefined
afterEach(async () => {
  await service?.end()
  service = undefined
})

/** A store that answers when it is told to. */
function held() {
  const inner = memoryStore()
  let arrived = 0
  let open = () => {}
  let all = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const allThere = new Promise<void>((resolve) => {
    all = resolve
  })
  const store: Store = {
    name: 'held',
    async answer(question) {
      arrived++
      if (arrived === 20) all()
      await opened
      return inner.answer(question)
    },
    adjust: inner.adjust.bind(inner),
    manage: inner.manage.bind(inner),
    close: async () => {},
  }
  return { store, open, allThere }
}

it('a service that ends answers what is under way, says so to who asks for its health, and takes no more', async () => {
  const { store, open, allThere } = held()
  service = await served(limits, { store })
  const { server, client } = service
  const ask = () => client.limit({ domain: 'shop', descriptors: [descriptor('user=ann')] })
  const waiting = Array.from({ length: 20 }, ask)
  await allThere
  const closed = server.close()
  open()
  for (const { overall_code } of await Promise.all(waiting)) expect(overall_code).toBe('OK')
  await closed
  await expect(client.check({ service: '' })).rejects.toMatchObject({ code: 14 })
  await server.close()
})

it('over HTTP what is under way is answered, on a connection that then ends', async () => {
  const { store, open, allThere } = held()
  service = await served(limits, { store, http: { port: 0 } })
  const { server } = service
  const body = JSON.stringify({ path: ['shop', 'user', 'ann'] })
  const url = `http://127.0.0.1:${server.http?.port}/check`
  const waiting = Array.from({ length: 20 }, () => fetch(url, { method: 'POST', body }))
  await allThere
  const closed = server.close()
  open()
  for (const { status, headers } of await Promise.all(waiting))
    expect([status, headers.get('connection')]).toEqual([200, 'close'])
  await closed
})

it('a request that comes on an idle connection just after the service has closed is answered, and then the connection ends', async () => {
  service = await served(limits, { http: { port: 0 } })
  const { server } = service
  const socket = connect(server.http?.port ?? 0, '127.0.0.1')
  const parts: string[] = []
  socket.on('data', (part) => parts.push(String(part)))
  const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  ask()
  await once(socket, 'data')
  const closed = server.close()
  ask()
  await once(socket, 'end')
  socket.end()
  const answers = parts.join('').match(/HTTP\/1.1 200 OK|Connection: [\w-]+/g)
  expect(answers).toEqual([
    'HTTP/1.1 200 OK',
    'Connection: keep-alive',
    'HTTP/1.1 200 OK',
    'Connection: close',
  ])
  await closed
})

it('what is not answered within the grace is cut off', async () => {
  const { store, allThere, open } = held()
  service = await served(limits, { store, grace: '50ms' })
  const { server, client } = service
  const waiting = Array.from({ length: 20 }, () =>
    client
      .limit({ domain: 'shop', descriptors: [descriptor('user=ann')] })
      .catch((error: { code: number }) => error.code),
  )
  await allThere
  await server.close()
  for (const code of await Promise.all(waiting)) expect([1, 13, 14]).toContain(code)
  open()
})

it('a store that fails is an error to the caller, and the next call is answered', async () => {
  const inner = memoryStore()
  let fails = true
  const store: Store = {
    name: 'failing',
    async answer(question) {
      if (fails) throw new Error('secret words')
      return inner.answer(question)
    },
    adjust: inner.adjust.bind(inner),
    manage: inner.manage.bind(inner),
    close: async () => {},
  }
  service = await served(limits, { store })
  const { client } = service
  const ask = () => client.limit({ domain: 'shop', descriptors: [descriptor('user=ann')] })
  const first = await ask().catch(({ code, details }) => ({ code, details }))
  expect(JSON.stringify(first)).not.toContain('secret')
  fails = false
  expect((await ask()).overall_code).toBe('OK')
})

it('a connection that has become old is ended, and its client connects anew', async () => {
  service = await served(limits, { maxConnectionAge: '50ms' })
  const { client } = service
  expect(await client.check({ service: '' })).toEqual({ status: 'SERVING' })
  const channel = client.health.getChannel()
  const { READY } = connectivityState
  await new Promise<void>((resolve, reject) => {
    if (channel.getConnectivityState(false) !== READY) return resolve()
    const deadline = new Date(Date.now() + 30_000)
    channel.watchConnectivityState(READY, deadline, (error) => (error ? reject(error) : resolve()))
  })
  expect(await client.check({ service: '' })).toEqual({ status: 'SERVING' })
})
