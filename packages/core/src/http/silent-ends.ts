import { runningTime } from '../clock.ts'
import { endedStream } from '../runtime.ts'
import { wakeQuietly } from '../waiting/timer.ts'
import type { Response } from './ending.ts'

/*
 * Two kinds of responses end without `close`. Node gives a response of HTTP/1 that waits behind another one on its connection no
 * socket, and forgets it when that connection breaks. And a stream of HTTP/2 that its client resets with NO_ERROR while the end of
 * its answer is being sent is closed, but neither finished nor destroyed.
 */

/** A connection as a request knows it, also one that its response does not have. */
export interface Connected {
  readonly destroyed: boolean
  readonly bytesWritten?: number
  readonly writableLength?: number
  once(event: 'close', listener: () => void): unknown
}

/** Responses without a socket, by their connection. */
const waiting = new WeakMap<Connected, Set<Response>>()

/** Lets a response that has no socket close with its connection. */
export function closeWithConnection(raw: Response): void {
  const connection = raw.req?.socket
  if (connection == null) return
  if (connection.destroyed) {
    closeNow(raw)
    return
  }
  const known = waiting.get(connection)
  const all = known ?? new Set<Response>()
  all.add(raw)
  raw.once('close', () => all.delete(raw))
  if (known !== undefined) return
  waiting.set(connection, all)
  connection.once('close', () => {
    for (const each of all) closeNow(each)
  })
}

/** With a stream that has ended in the place of its socket, a response behaves as any other whose connection is gone: for all who listen. */
function closeNow(raw: Response): void {
  if (raw.socket !== null || raw.destroyed || raw.assignSocket === undefined) return
  const stream = endedStream()
  if (stream === undefined) return
  unsent.add(raw)
  raw.assignSocket(stream)
}

const unsent = new WeakSet<Response>()

/** true where a response has ended without a socket, so that nothing of it was sent. */
export function isUnsent(raw: Response): boolean {
  return unsent.has(raw)
}

/** So often streams are looked at: what was not sent to its end has no other sign. */
const lookEveryMs = 1000

/** Who waits for the end of a stream of HTTP/2. */
const streams = new Map<Response, (() => void)[]>()
let looks = false

/** Calls when a stream is closed without an event; one that closes as it should has its `close` before. */
export function whenStreamCloses(raw: Response, call: () => void): void {
  const known = streams.get(raw)
  if (known !== undefined) known.push(call)
  else {
    streams.set(raw, [call])
    raw.once('close', () => streams.delete(raw))
  }
  if (!looks) lookLater()
}

function lookLater(): void {
  looks = true
  wakeQuietly(runningTime, lookEveryMs, look)
}

function look(): void {
  looks = false
  for (const [raw, calls] of streams) {
    if (raw.stream?.closed !== true) continue
    streams.delete(raw)
    for (const call of calls) call()
  }
  if (streams.size > 0) lookLater()
}
