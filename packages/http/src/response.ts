/** A connection as a request knows it, also one that its response does not have. */
export interface Connected {
  readonly destroyed: boolean
  readonly bytesWritten?: number
  readonly writableLength?: number
  /** Nobody's, as that of the other end, where it is a unix socket. */
  readonly localAddress?: string | undefined
  readonly remoteAddress?: string | undefined
  once(event: 'close', listener: () => void): unknown
}

/** As much of a response as says when it is over: also the socket of an upgrade. */
export interface Response extends Connected {
  readonly writableEnded: boolean
  readonly writableFinished?: boolean
  readonly headersSent?: boolean
  once(event: 'close' | 'socket', listener: () => void): unknown
  /** Of HTTP/2. */
  readonly stream?: AnswerStream
  /** null: it waits behind another response on its connection, or somebody has taken its socket over. */
  readonly socket?: Connected | null
  readonly req?:
    | {
        readonly socket?: Connected | null
        readonly upgrade?: boolean | null
        readonly destroyed?: boolean
        readonly readableAborted?: boolean
        /** Whether all of it has come. */
        readonly complete?: boolean
        readonly errored?: object | null
      }
    | undefined
  /** Of HTTP/1. */
  // biome-ignore lint/suspicious/noExplicitAny: Node's own takes a socket, of which it needs what every stream has
  assignSocket?(stream: any): void
}

/** Of a response of HTTP/2. */
export interface AnswerStream {
  readonly destroyed: boolean
  readonly closed?: boolean
  readonly writableFinished?: boolean
  readonly bufferSize?: number
  readonly writableEnded?: boolean
  /** Its client has gone before it was ended. */
  readonly aborted?: boolean
  readonly headRequest?: boolean
  readonly sentHeaders?: { readonly [name: string]: unknown } | undefined
  once?(event: 'close' | 'finish', listener: () => void): unknown
}
