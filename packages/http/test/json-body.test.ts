import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type JsonBody, readJsonBody } from '../src/json-body.ts'

const server = createServer()
let port = 0

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port // it listens on a port
})
afterAll(() => {
  server.close()
})

/** What is read of a body of that length, of which those bytes are sent. */
async function read(sent: string, { length = sent.length, before = false } = {}): Promise<JsonBody> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${sent}`)
  if (length > sent.length) socket.end()
  const [request, response] = await once(server, 'request')
  if (before) await buffer(request)
  const body = await readJsonBody(request, 10)
  response.end()
  socket.destroy()
  return body
}

describe('readJsonBody', () => {
  // biome-ignore format: a table
  it.each([
    // sent              what comes of it
    ['{"a":1}',          { fault: undefined, value: { a: 1 } }],
    ['null',             { fault: undefined, value: null }],
    ['[1,2,3,45]',       { fault: undefined, value: [1, 2, 3, 45] }],
    ['[1,2,3,456]',      { fault: 'too-long' }],
    ['a'.repeat(10_000), { fault: 'too-long' }],
    ['',                 { fault: 'empty' }],
    ['{"a":',            { fault: 'not-json' }],
  ])('%s', async (sent, body) => {
    expect(await read(sent)).toEqual(body)
  })

  it('says that the client has gone', async () => {
    expect(await read('{"a"', { length: 9 })).toEqual({ fault: 'cut-off' })
  })

  it('says that a parser has read the body before', async () => {
    expect(await read('{"a":1}', { before: true })).toEqual({ fault: 'read-before' })
  })
})
