import { STATUS_CODES } from 'node:http'

/** An answer as plain data: hand it to any framework. */
export interface EndpointAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** JSON, or nothing. */
  readonly body: string
}

type Field = EndpointAnswer['headers'][number]

/** Thrown where a request cannot be served; its message tells the client why. */
export class Problem extends Error {
  readonly status: number
  readonly headers: readonly Field[]
  /** Members of the body beside those of RFC 9457. */
  readonly more: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    message: string,
    { headers = [], ...more }: { headers?: readonly Field[]; readonly [name: string]: unknown } = {},
  ) {
    super(message)
    this.status = status
    this.headers = headers
    this.more = more
  }
}

export function json(status: number, value: object, headers: readonly Field[] = []): EndpointAnswer {
  return answer(status, JSON.stringify(value), [['Content-Type', 'application/json'], ...headers])
}

export const noContent: EndpointAnswer = answer(204, '', [])

/** `application/problem+json` of RFC 9457. Throws on whatever is no Problem. */
export function problemAnswer(thrown: unknown): EndpointAnswer {
  if (!(thrown instanceof Problem)) throw thrown
  const { status, message: detail, headers, more } = thrown
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail, ...more }
  return answer(status, JSON.stringify(body), [['Content-Type', 'application/problem+json'], ...headers])
}

function answer(status: number, body: string, headers: readonly Field[]): EndpointAnswer {
  return { status, headers: [['Cache-Control', 'no-store'], ...headers], body }
}
