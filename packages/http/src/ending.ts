import { KeptWith } from './kept.ts'
import { addTo } from './lists-by-key.ts'
import type { Response } from './response.ts'
import { closeWithConnection, isDetached, isStreamOver, isUnsent, whenStreamCloses } from './silent-ends.ts'

/** As much of an answer as a gate's driver needs; Node's `ServerResponse` is one. */
export interface Answer extends Response {
  readonly headersSent: boolean
  readonly statusCode: number
  /** Bytes that the client has not taken; undefined where that is not known. */
  readonly writableLength?: number
  /** Grows when the client takes something. Left out where the answer itself does not know that, but its connection does. */
  readonly taken?: number
  once(event: 'close' | 'finish' | 'prefinish' | 'socket', listener: () => void): unknown
  on?(event: 'drain' | 'pipe' | 'unpipe', listener: (source: Source) => void): unknown
  destroy(): unknown
  /** Members of Node's own responses. */
  listenerCount?(event: 'drain'): number
  end?(...given: never[]): unknown
  write?(...given: never[]): boolean
}

/** A stream that is piped into an answer. */
export interface Source {
  readonly destroyed?: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The calls that wait for the end of a response. */
const waiting = new KeptWith<Response, (() => void)[]>()

/**
 * Calls when nobody can be answered any more, at once where that is so already: after the response's end, an abort and an error
 * alike. All code that waits for a request's end uses this.
 */
export function whenClosed(raw: Response, call: () => void): void {
  closeWithConnection(raw)
  if (isClosed(raw)) {
    call()
    return
  }
  const calls = addTo(waiting, raw, call)
  if (calls === undefined) return
  const over = () => {
    waiting.delete(raw)
    for (const each of calls) each()
  }
  if (raw.stream === undefined) raw.once('close', over)
  else whenStreamCloses(raw, over)
}

/** Whether `close` has been emitted, which does not come a second time, or need not be waited for. */
export function isClosed(raw: Response): boolean {
  return raw.destroyed || (raw.stream !== undefined && isStreamOver(raw.stream))
}

/**
 * Whether all of an answer was handed over, on HTTP/2 also past its response, by its stream. A stream that Node itself has ended does
 * not count: that of a client that has gone and, before any answer, that of a request for the head alone.
 */
export function isEnded({ writableEnded, stream }: Response): boolean {
  if (writableEnded || stream === undefined) return writableEnded
  return stream.writableEnded === true && stream.aborted !== true && stream.headRequest !== true
}

/**
 * Whether the client has gone: the connection may be destroyed a little before `close` is emitted. One that was reset by its client has
 * no remote address any more, while what was sent before is still read from it as if nothing had happened. A unix socket has no local
 * address either.
 */
export function isGone(raw: Response): boolean {
  const { destroyed, localAddress, remoteAddress } = raw.socket ?? raw.req?.socket ?? raw
  return isClosed(raw) || destroyed || (localAddress !== undefined && remoteAddress === undefined)
}

/** As much of a framework's own reply as says that it was answered, by itself or by other code that has taken its response over. */
export interface Reply {
  readonly sent: boolean
}

/** Whether other code has taken the response over, such as a WebSocket's: its end is that of its connection. */
export function isTakenOver(raw: Response, reply?: Reply): boolean {
  return raw.req?.upgrade === true || isDetached(raw) || (reply?.sent === true && !raw.writableEnded)
}

/** How a response ended. */
export interface Ended {
  /**
   * 499 where the client went before any status was sent: Node's own default, 200, would read as a success. 101 for an upgrade, such as
   * to a WebSocket.
   */
  readonly status: number
  /** Whether the client went before the response was finished. */
  readonly aborted: boolean
}

/** What nginx writes in its log for a client that hung up. */
export const clientClosedRequest = 499
const switchingProtocols = 101

/**
 * Reports how a response ended to each listener, once, also when it ended before `whenOver` was called: all limiters of a request share
 * it. `finish` does not come on an abort.
 */
export class Ending {
  readonly #over: Promise<Ended>

  constructor(raw: Answer) {
    let finished = isClosed(raw)
    raw.once('finish', () => {
      finished = true
    })
    this.#over = new Promise((resolve) => {
      // HTTP/2 emits `finish` whenever a stream closes: there only whether it was ended tells an answer from an abort.
      whenClosed(raw, () => {
        const sent = finished || raw.stream?.writableFinished === true
        // All of an answer to a request for the head alone, whether its handler has ended it or not.
        const head = raw.stream?.headRequest && raw.stream.sentHeaders
        resolve(endedAs(raw, !sent || !(isEnded(raw) || head)))
      })
    })
  }

  /** The listener has the async context of this call: a response's events have none, or that of another request. */
  whenOver(listener: (ended: Ended) => void): void {
    void this.#over.then(listener)
  }
}

function endedAs(raw: Answer, aborted: boolean): Ended {
  // An upgrade's answer is written past the response, and was sent before the connection closed.
  if (raw.req?.upgrade && !raw.headersSent) return { status: switchingProtocols, aborted: false }
  if (aborted && (!raw.headersSent || isUnsent(raw))) return { status: clientClosedRequest, aborted }
  // A stream of HTTP/2 may have sent another status than its response has.
  const sent = raw.stream?.sentHeaders?.[':status']
  return { status: typeof sent === 'number' ? sent : raw.statusCode, aborted }
}
