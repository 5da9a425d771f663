import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { concurrency, createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { rateLimit } from '../src/index.ts'

const ip = () => '192.0.2.1'
const zoo = () => new Request('http://zoo/tickets')

/** A limiter of one place on a clock that is moved, whose clients may take nothing for three seconds. */
function place() {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '5s' }), name: 'places', store })
  const limit = rateLimit({ limiter, ip, key: () => 'bob', sendTimeout: '3s' })
  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) await clock.advance('1s')
  }
  const free = async () => (await limiter.peek('bob')).remaining
  return { limit, pass, free }
}

/** A body that is read piece by piece. */
function readerOf({ body }: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (body === null) throw new Error('a response without a body')
  return body.getReader()
}

describe('a body that a platform reads as its client does', () => {
  it('keeps its place while it is read, and for three seconds without', async () => {
    const { limit, pass, free } = place()
    const pieces = Array.from({ length: 9 }, (_, i) => new TextEncoder().encode(`piece ${i}`))
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(pieces.shift() ?? new Uint8Array(1)),
    })
    const reader = readerOf(await limit(() => new Response(body))(zoo()))
    for (let i = 0; i < 4; i++) {
      await reader.read()
      await pass(2)
      expect([i, await free()]).toEqual([i, 0])
    }
    await pass(3)
    expect(await free()).toBe(1)
  })

  it('keeps its place while its client waits for the handler, however long', async () => {
    const { limit, pass, free } = place()
    const end = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => end.signal.addEventListener('abort', () => controller.close()),
    })
    const reader = readerOf(await limit(() => new Response(body))(zoo()))
    const read = reader.read()
    await pass(30)
    expect(await free()).toBe(0)
    end.abort()
    expect([(await read).done, await free()]).toEqual([true, 1])
  })

  it('keeps its place for three seconds where nobody asks for it, as an answer that was given up', async () => {
    const { limit, pass, free } = place()
    const late = limit(() => new Response('too late'))(zoo())
    await Promise.race([Promise.resolve(new Response(null, { status: 504 })), late])
    await late
    await pass(2)
    expect(await free()).toBe(0)
    await pass(2)
    expect(await free()).toBe(1)
  })

  it('comes in parts where a piece is long, and is the same', async () => {
    const { limit } = place()
    const sent = Uint8Array.from({ length: 200_000 }, (_, i) => i % 251)
    const reader = readerOf(await limit(() => new Response(sent))(zoo()))
    const parts: Uint8Array[] = []
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value)
    expect(Buffer.concat(parts).equals(sent)).toBe(true)
    expect(Math.max(...parts.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(65_536)
  })
})

/** Node's request as SvelteKit shows it: its connection is all that says when a client has gone. */
function incoming() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false })
  const breakOff = () => {
    socket.destroyed = true
    socket.emit('close')
  }
  return { shown: { incoming: { socket } }, breakOff }
}

describe('a connection that breaks while its response is not known', () => {
  // biome-ignore format: a table
  it.each([
    // pieces that were read   what is settled
    [0,                        { status: 499, aborted: true }],
    [1,                        { status: 206, aborted: true }],
  ])('behind %i pieces that were read: %p', async (reads, ending) => {
    const endings: object[] = []
    const policy = fixedWindow({ limit: 5, window: '10s' })
    const limit = rateLimit({ policy, ip, settle: (_, ended) => void endings.push(ended) })
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(1)) })
    const { shown, breakOff } = incoming()
    const reader = readerOf(await limit((_, _shown: object) => new Response(body, { status: 206 }))(zoo(), shown))
    for (let i = 0; i < reads; i++) await reader.read()
    breakOff()
    await setImmediate()
    expect(endings).toEqual([ending])
  })
})
