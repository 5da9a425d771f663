import { type PlainAnswer, problemAnswer } from '@sluice/http/internal'

/** A response as plain data that any framework can send. */
export type EndpointAnswer = PlainAnswer

type Fields = PlainAnswer['headers']

/** Thrown if a request cannot be served; the client gets its message. */
export class Problem extends Error {
  readonly status: number
  readonly headers: Fields
  /** Members of the body besides those of RFC 9457. */
  readonly more: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    message: string,
    { headers = [], ...more }: { headers?: Fields; readonly [name: string]: unknown } = {},
  ) {
    super(message)
    this.status = status
    this.headers = headers
    this.more = more
  }
}

export const noContent: EndpointAnswer = { status: 204, headers: [['Cache-Control', 'no-store']], body: '' }

/** Rethrows anything that is not a Problem. */
export function answerOf(thrown: unknown): EndpointAnswer {
  if (!(thrown instanceof Problem)) throw thrown
  const { status, message, headers, more } = thrown
  return problemAnswer(status, message, { more, fields: headers })
}
