import type { ServerResponse } from 'node:http'
import { expect, test } from '@jest/globals'
import { Client } from '../src/client.ts'
import { broadcasterOf } from './broadcaster-of.ts'
import { minute } from './on-hand.ts'
import { Recorded } from './recorded.ts'

/** A socket that takes nothing. */
class Stuck {
  writableLength = 0
  destroyed = false
  ended = false

  write(text: string): boolean {
    this.writableLength += text.length
    return false
  }

  end(): void {
    this.ended = true
  }

  destroy(): void {
    this.destroyed = true
  }
}

function stuck(): { socket: Stuck; client: Client } {
  const socket = new Stuck()
  return { socket, client: new Client(socket as unknown as ServerResponse) }
}

test('a page that does not read is sent no more, and is let go after half a minute', async () => {
  const recorded = new Recorded()
  for (let i = 0; i < 200; i++) recorded.count('hits', [`limiter ${i}`, 'p'], { second: -1, units: 1 })
  const { broadcaster } = broadcasterOf(recorded)
  const { socket, client } = stuck()
  broadcaster.join(client, minute, true)
  await broadcaster.step()
  const sent = socket.writableLength
  expect(sent).toBeGreaterThan(64 * 1024)
  const gone: boolean[] = []
  for (let second = 1; second <= 32; second++) {
    recorded.clock++
    await broadcaster.step()
    gone.push(socket.destroyed)
  }
  expect(socket.writableLength).toBe(sent)
  // More than half a minute after what it did not read was written.
  expect(gone.indexOf(true) + 1).toBe(31)
})

test('a page that has caught up gets the whole state again', async () => {
  const recorded = new Recorded()
  const { broadcaster } = broadcasterOf(recorded)
  const texts: string[] = []
  const { socket, client } = stuck()
  socket.write = (text) => texts.push(text) > 0
  broadcaster.join(client, minute, false)
  await broadcaster.step()
  socket.writableLength = 100_000
  for (let second = 0; second < 5; second++) {
    recorded.clock++
    await broadcaster.step()
  }
  recorded.count('hits', ['late', 'p'], { second: recorded.clock - 2, units: 9 })
  socket.writableLength = 0
  recorded.clock++
  await broadcaster.step()
  expect(texts).toHaveLength(2)
  expect(texts[1]).toContain('"event":"history"')
  expect(texts[1]).toContain('"late:p":{"admitted":9')
})

test.each([
  [0, { ended: true, destroyed: false }],
  [10, { ended: false, destroyed: true }],
])('a page with %i bytes before it is let go', (writableLength, expected) => {
  const { socket, client } = stuck()
  socket.writableLength = writableLength
  client.end()
  expect(socket).toMatchObject(expected)
})
