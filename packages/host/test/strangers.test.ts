import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, type Warning } from '@sluice/core'
import { realClock, stores } from '@sluice/core/internal'
import { until } from '@sluice/faults/outage'
import fc from 'fast-check'
import { Frames, framed } from '../src/frames.ts'
import { helloFrame } from '../src/hello.ts'
import type { HostStore } from '../src/store.ts'
import { Here } from './here.ts'

const policy = fixedWindow({ limit: 5, window: '1h' })
const another = ['sluice-host', '1-00000000']
/** The hello of this version. */
const own = JSON.parse(helloFrame().toString('utf8', 4))
const silent = { warn() {}, error() {} }
let here: Here
let warnings: Warning[]

beforeEach(() => {
  here = new Here()
  warnings = []
})
afterEach(() => here.close())

function storeHere(): HostStore {
  const store = here.store(realClock)
  store.watch({ event: () => {}, warned: (warning) => warnings.push(warning) })
  return store
}

/** Connects by hand to who holds the counts. */
async function connectByHand(): Promise<Socket> {
  const socket = connect(path.join(here.folder, '1.sock'))
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** A process of another version, which holds the counts. */
async function holdByHand(answer: (socket: Socket, piece: Buffer) => void, hello: unknown): Promise<Server> {
  mkdirSync(here.folder, { mode: 0o700 })
  const server = createServer((socket) => {
    socket.write(framed(hello))
    socket.on('error', () => {})
    socket.on('data', (piece) => answer(socket, piece))
  })
  server.listen(path.join(here.folder, '1.sock'))
  await once(server, 'listening')
  return server
}

/** The code of every warning so far, each once. */
function codes(): readonly string[] {
  return [...new Set(warnings.map(({ code }) => code))]
}

async function admitted(store: HostStore, times: number): Promise<number> {
  const limiter = createLimiter({ policy, store, logger: silent })
  let count = 0
  for (let i = 0; i < times; i++) if ((await limiter.check('k')).allowed) count++
  return count
}

it.each([
  ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
  ['text', framed('good day')],
  ['a frame that is no JSON', Buffer.from([3, 0, 0, 0, 0x7b, 0x7b, 0x7b])],
  ['a frame without calls behind the hello', Buffer.concat([framed(own), framed([1])])],
  ['an unknown call', Buffer.concat([framed(own), framed([1, [], [[-99]]])])],
  ['an unknown policy', Buffer.concat([framed(own), framed([1, ['id', '["none",{}]'], [[0, 'k', 1]]])])],
  ['a check of no policy', Buffer.concat([framed(own), framed([1, [], [[0, 'k', 1]]])])],
])('%s closes its connection, with a warning, and nobody else’s', async (_, bytes) => {
  const holder = storeHere()
  await holder.begin()
  const guest = storeHere()
  await guest.begin()
  const socket = await connectByHand()
  const closed = once(socket.resume(), 'close')
  socket.write(bytes)
  await closed
  expect(codes()).toEqual(['SLUICE_HOST_GARBLED'])
  expect(await admitted(guest, 7)).toBe(5)
})

it('whatever is written to it, the process goes on', async () => {
  const holder = storeHere()
  await holder.begin()
  const hello = framed(own)
  const frames = fc.array(
    fc.oneof(
      fc.jsonValue().map(framed),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    ),
  )
  await fc.assert(
    fc.asyncProperty(frames, async (written) => {
      const socket = await connectByHand()
      const closed = once(socket.resume(), 'close')
      socket.end(Buffer.concat([hello, ...written]))
      await closed
    }),
    { numRuns: 50 },
  )
  expect(await admitted(holder, 7)).toBe(5)
})

it('frames are put together however they were cut', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), cuts, (contents, lengths) => {
      const bytes = Buffer.concat(contents.map(framed))
      const frames = new Frames()
      const read: unknown[] = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const length = lengths[i % lengths.length] ?? 1
        read.push(...frames.of(bytes.subarray(at, at + length)))
        at += length
      }
      expect(JSON.stringify(read)).toBe(JSON.stringify(contents))
    }),
  )
})

it('with a process of another version nothing is counted together, and an error says so', async () => {
  const server = await holdByHand(() => {}, another)
  const inner = storeHere()
  await expect(inner.begin()).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('the other 1-00000000'),
  })
  expect(codes()).toEqual(['SLUICE_HOST_VERSION'])
  const check = {
    id: 'id',
    policy,
    key: 'k',
    cost: 1,
    note: undefined,
    shadow: false,
    onStoreFailure: 'local',
  } as const
  expect(() => inner.answer({ checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true })).toThrow(
    'the other 1-00000000',
  )
  server.close()
})

it('one of another version is sent away by who holds the counts', async () => {
  const holder = storeHere()
  await holder.begin()
  const socket = await connectByHand()
  const closed = once(socket.resume(), 'close')
  socket.write(framed(another))
  await closed
  expect(codes()).toEqual(['SLUICE_HOST_VERSION'])
})

it('requests go on by the fallback while the version is another, and are counted together once it is gone', async () => {
  const server = await holdByHand(() => {}, another)
  const inner = storeHere()
  const store = stores.guard(inner, stores.readGuardOptions({ deadline: '20s' }))
  const limiter = createLimiter({ policy, store, logger: silent })
  expect((await limiter.check('k')).source).toBe('fallback')
  server.close()
  // Of a key that was counted here in the meantime the fallback still has its say.
  let key = 0
  await until(async () => (await limiter.check(`new ${key++}`)).source === 'host', {
    what: 'the store is asked',
  })
  await limiter.close()
  await store.close()
})

it('an answer that is none closes the connection, with a warning', async () => {
  let said = ''
  const server = await holdByHand((socket, piece) => {
    // Behind its hello comes the first frame.
    said += piece.toString('latin1')
    if (said.includes('"k"')) socket.write(framed([1, ['no answer', [1, 2]]]))
  }, own)
  const store = storeHere()
  await store.begin()
  const limiter = createLimiter({ policy, store, logger: silent })
  await expect(limiter.check('k')).rejects.toThrow()
  expect(codes()).toEqual(['SLUICE_HOST_GARBLED'])
  server.close()
})
