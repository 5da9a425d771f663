import { type PlainAnswer, problemAnswer } from '@sluice/core/internal'

/** An answer as plain data: hand it to any framework. */
export type EndpointAnswer = PlainAnswer

type Fields = PlainAnswer['headers']

/** Thrown where a request cannot be served; its message tells the client why. */
export class Problem extends Error {
  readonly status: number
  readonly headers: Fields
  /** Members of the body beside those of RFC 9457. */
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

/** Throws on whatever is no Problem. */
export function answerOf(thrown: unknown): EndpointAnswer {
  if (!(thrown instanceof Problem)) throw thrown
  const { status, message, headers, more } = thrown
  return problemAnswer(status, message, { more, fields: headers })
}
