import { LinkedList, runningTime, runtime, waits } from '@sluice/core/internal'
import { KeptWith } from './kept.ts'
import { addTo } from './lists-by-key.ts'
import type { AnswerStream, Connected, Response } from './response.ts'

/*
 * Four kinds of responses end without `close`. Node gives a response of HTTP/1 that waits behind another one on its connection no
 * socket, and forgets it when that connection breaks. Node 24 destroys it, but what is ended then emits no `prefinish`. Who takes the
 * socket of a response over (`detachSocket`) leaves it without one, too. And a stream of HTTP/2 that its client resets with NO_ERROR
 * while the end of its answer is being sent is closed, but neither finished nor destroyed. One whose answer is sent to its end is open
 * until its client has ended its request too, if it ever does.
 */

/** Why a response has no socket when its connection closes: its turn never came, or somebody has taken the socket over. */
type Without = 'queued' | 'detached'

/** Responses that somebody waits for, by their connection. */
const waiting = new WeakMap<Connected, Map<Response, Without>>()

/** Lets a response close with its connection, also where it has no socket by then. */
export function closeWithConnection(raw: Response): void {
  const connection = raw.req?.socket
  if (!connection || !raw.assignSocket) return
  const without = raw.socket === null ? 'queued' : 'detached'
  // Where it has its socket still, `close` is about to come: unless somebody takes that over before.
  if (connection.destroyed && raw.socket !== connection) {
    closeNow(raw, without)
    return
  }
  if (raw.destroyed) return
  const all = waiting.get(connection) ?? followed(connection)
  if (all.has(raw)) return
  all.set(raw, without)
  raw.once('close', () => all.delete(raw))
  if (without === 'queued') raw.once('socket', () => all.set(raw, 'detached'))
}

function followed(connection: Connected): Map<Response, Without> {
  const all = new Map<Response, Without>()
  waiting.set(connection, all)
  connection.once('close', () => {
    for (const [each, without] of all) closeNow(each, without)
  })
  return all
}

/** How responses ended that had no socket. */
const endings = new WeakMap<Response, Without>()

/**
 * With a closed socket in the place of its own, a response behaves as any other whose connection is gone: for all who listen. Node calls
 * what only sockets have, such as `setTimeout` for a response that has a time-out.
 */
function closeNow(raw: Response, without: Without): void {
  // An answer without a head was not sent: that of express-ws, which has none and no socket, is `finished` as soon as it is ended.
  const isSent = raw.writableFinished === true && raw.headersSent !== false
  if (raw.socket !== null || isSent || !raw.assignSocket) return
  const socket = runtime.closedSocket()
  if (socket === undefined) return
  endings.set(raw, without)
  raw.assignSocket(socket)
  // Who takes the socket of a response over may take this one, and `close` with it.
  socket.once('close', () => {
    if (!raw.destroyed) closeNow(raw, 'detached')
  })
}

/** true where the turn of a response never came, so that nothing of it was sent. */
export function isUnsent(raw: Response): boolean {
  return endings.get(raw) === 'queued'
}

/** true where somebody has taken the socket of a response over, and it is closed. */
export function isDetached(raw: Response): boolean {
  return endings.get(raw) === 'detached'
}

/**
 * Whether a handler has destroyed its request of HTTP/1, and the connection with it: for a client that has gone Node does so with an
 * error of its own, and Bun with none. A loop over a body that is left early takes the socket away first, and its handler may go on.
 */
export function isBrokenOff({ req, stream }: Response): boolean {
  if (!req?.socket || !req.readableAborted || stream !== undefined || 'Bun' in globalThis) return false
  return Reflect.get(req.errored ?? {}, 'code') !== 'ECONNRESET'
}

/** As much of an answer as says when its handler ends it. */
interface Endable {
  readonly stream?: AnswerStream
  readonly destroyed?: boolean
  readonly socket?: Connected | null
  once(event: 'prefinish', listener: () => void): unknown
  end?(...given: never[]): unknown
  destroy(...given: never[]): unknown
  readonly req?: Response['req']
}

/** Who waits until an answer is ended that has no client any more. */
const unended = new KeptWith<Endable, (() => void)[]>()

/**
 * Calls when an answer is ended that has no client any more: nothing else of it will happen. That has no event on HTTP/2, nor where
 * what was written before waits for a socket still: there `whenHandlerEnds` says so.
 */
export function whenEnded(raw: Endable, call: () => void): void {
  if (raw.stream !== undefined) return
  const calls = addTo(unended, raw, call)
  if (calls === undefined) return
  raw.once('prefinish', () => {
    for (const each of calls) each()
  })
}

/**
 * Calls when a handler ends an answer, or destroys it. Node destroys but one kind: from version 24 on, and on Bun, an answer that waits
 * for its socket still when its connection has gone; Node does so after it has destroyed the request. Who wraps `end` ends it later: to
 * store a session first, or to compress what is sent, and then never where its client goes before it has taken the rest. Before a
 * limiter, that wrapper is called here; what comes behind one calls this at last.
 */
export function whenHandlerEnds(raw: Endable, call: () => void): void {
  const { end, destroy, req } = raw
  if (end === undefined) return
  // Constants first: V8 allocates a function that is assigned as it is made among the old objects, where it would keep its response.
  const ended: typeof end = (...given) => {
    const returned = end.apply(raw, given)
    call()
    return returned
  }
  const destroyed: typeof destroy = (...given) => {
    const isGone = req?.socket?.destroyed !== false && (req?.destroyed !== false || 'Bun' in globalThis)
    if (raw.destroyed || raw.socket !== null || !isGone) call()
    return destroy.apply(raw, given)
  }
  raw.end = ended
  raw.destroy = destroyed
}

/** So often streams are looked at: what was not sent to its end has no other sign. */
const lookEveryMs = 1000

/** A stream of HTTP/2 whose end is waited for. */
class OpenStream {
  previous: OpenStream | undefined
  next: OpenStream | undefined
  readonly lookAt: () => void

  constructor(lookAt: () => void) {
    this.lookAt = lookAt
  }
}

/** Not a Map: slow-readers.ts says why. */
const streams = new LinkedList<OpenStream>()
let looks = false

/** true where nothing more of an answer can be sent. Node ends the stream of a request for the head alone before any answer. */
export function isStreamOver(stream: AnswerStream): boolean {
  const { destroyed, closed, headRequest, sentHeaders, writableFinished } = stream
  return (
    destroyed || closed === true || (writableFinished === true && (!headRequest || sentHeaders !== undefined))
  )
}

/** Calls when nothing more can be sent on a stream: once, though it may end in several ways. Waited for once for each response. */
export function whenStreamCloses(raw: Response, call: () => void): void {
  const { stream } = raw
  let isOver = false
  const lookAt = () => {
    if (stream && isStreamOver(stream)) over()
  }
  const open = new OpenStream(lookAt)
  const over = () => {
    if (isOver) return
    isOver = true
    streams.remove(open)
    call()
  }
  streams.add(open)
  raw.once('close', over)
  // The response of a request for the head alone emits no `close` before it is ended.
  stream?.once?.('close', lookAt)
  stream?.once?.('finish', lookAt)
  if (!looks) lookLater()
}

function lookLater(): void {
  looks = true
  void waits.wakeQuietly(runningTime, lookEveryMs, look)
}

/** One that closes without an event. */
function look(): void {
  looks = false
  for (let open = streams.first, next = open; open; open = next) {
    next = open.next
    open.lookAt()
  }
  if (streams.first) lookLater()
}
