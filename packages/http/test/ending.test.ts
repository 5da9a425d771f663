import { once } from 'node:events'
import { createServer, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { type Ended, Ending, whenClosed } from '../src/ending.ts'
import { exchangeOf } from './exchange.ts'

function endingsOf(ending: Ending): readonly unknown[] {
  const endings: unknown[] = []
  ending.whenOver((ended) => endings.push(ended))
  return endings
}

describe('Ending', () => {
  it('distinguishes a whole answer from one that was broken off', async () => {
    for (const [finish, aborted] of [
      [true, false],
      [false, true],
    ]) {
      const { raw } = exchangeOf()
      const endings = endingsOf(new Ending(raw))
      raw.statusCode = 204
      raw.end()
      if (finish) raw.emit('finish')
      await setImmediate()
      expect(endings).toEqual([])
      raw.emit('close')
      raw.emit('close')
      await setImmediate()
      expect(endings).toEqual([{ status: 204, aborted }])
    }
  })

  it('reports an answer that nobody had ended as broken off, whatever the connection says', async () => {
    const { raw } = exchangeOf()
    const endings = endingsOf(new Ending(raw))
    raw.emit('finish')
    raw.emit('close')
    await setImmediate()
    expect(endings).toEqual([{ status: 499, aborted: true }])
  })

  it('reports what was over before it was asked, or before it was made', async () => {
    const { raw } = exchangeOf()
    const ending = new Ending(raw)
    raw.emit('close')
    const before = endingsOf(ending)
    raw.destroy()
    const destroyed = endingsOf(new Ending(raw))
    const { raw: answered } = exchangeOf()
    answered.end()
    answered.destroy()
    const whole = endingsOf(new Ending(answered))
    await setImmediate()
    expect(before).toEqual([{ status: 499, aborted: true }])
    expect(destroyed).toEqual([{ status: 499, aborted: true }])
    expect(whole).toEqual([{ status: 200, aborted: false }])
  })
})

it('a response has two listeners of ours, however many wait for its end: Node warns of more than ten, and Koa adds six for a stream', () => {
  const { raw } = exchangeOf()
  let called = 0
  for (let i = 0; i < 20; i++) whenClosed(raw, () => called++)
  expect(raw.listenerCount('close')).toBeLessThanOrEqual(2)
  raw.emit('close')
  raw.emit('close')
  expect(called).toBe(20)
})

/** Two requests in one write, of which the second waits behind the first: how the one ends that is listened to. */
async function endedBehind(
  answer: (second: ServerResponse, first: ServerResponse) => Ending,
): Promise<Ended> {
  let first: ServerResponse | undefined
  let over = (_ended: Ended) => {}
  const ended = new Promise<Ended>((resolve) => {
    over = resolve
  })
  const server = createServer((_, response) => {
    if (first === undefined) first = response
    else answer(response, first).whenOver(over)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET /1 HTTP/1.1\r\nHost: zoo\r\n\r\nGET /2 HTTP/1.1\r\nHost: zoo\r\n\r\n')
  const how = await ended
  client.destroy()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return how
}

it('of a response behind another one, whose turn has come and whose socket was taken then, something was sent', async () => {
  const ended = await endedBehind((response, first) => {
    response.once('socket', (socket) => {
      response.writeHead(200).flushHeaders()
      response.detachSocket(socket)
      response.req.socket.destroy()
    })
    first.end()
    return new Ending(response)
  })
  expect(ended).toEqual({ status: 200, aborted: true })
})

it('a response ends with its connection, also where what stands for its socket then is taken over', async () => {
  const ended = await endedBehind((response) => {
    response.req.socket.destroy()
    const ending = new Ending(response)
    // With nothing in its place, it would have no socket.
    if (response.socket !== null) response.detachSocket(response.socket)
    return ending
  })
  expect(ended).toEqual({ status: 499, aborted: true })
})

it('a response ends with its connection, also where its socket is taken over just before that closes', async () => {
  const ended = await endedBehind((_, first) => {
    first.req.socket.destroy()
    const ending = new Ending(first)
    if (first.socket !== null) first.detachSocket(first.socket)
    return ending
  })
  expect(ended).toEqual({ status: 499, aborted: true })
})

it('a response without a socket and without a head ends with its connection, as the one that express-ws makes for a WebSocket', async () => {
  const endings: Ended[] = []
  const server = createServer()
  server.on('upgrade', (request, socket) => {
    const response = new ServerResponse(request)
    response.writeHead = () => Object.assign(response, { _header: '' })
    new Ending(response).whenOver((ended) => endings.push(ended))
    response.end()
    socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n').resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens
  client.resume().write('GET / HTTP/1.1\r\nHost: zoo\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await once(client, 'close')
  for (let i = 0; i < 100; i++) await setImmediate()
  expect(endings).toEqual([{ status: 101, aborted: false }])
  await new Promise<void>((resolve) => server.close(() => resolve()))
})
