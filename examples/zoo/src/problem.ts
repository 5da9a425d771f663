import { STATUS_CODES } from 'node:http'
import { inspect } from 'node:util'
import { type Answer, json } from './answer.ts'
import { harmless } from './terminal.ts'

/** Thrown if a request cannot be served; the client gets its message. */
export class Problem extends Error {
  readonly status: number
  readonly headers: Answer['headers']

  constructor(status: number, message: string, headers: Answer['headers'] = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

export const nothingHere = (): Problem => new Problem(404, 'There is nothing here.')

/** Any error as `application/problem+json`. Internal errors are printed here; the client only learns that there was one. */
export function problemAnswer(thrown: unknown): Answer {
  const problem = thrown instanceof Problem ? thrown : foreign(thrown)
  const { status, message: detail, headers } = problem
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail }
  return json(status, body, { 'Content-Type': 'application/problem+json', ...headers })
}

/** The status of a framework's own error about a request. */
function foreign(thrown: unknown): Problem {
  // A path that cannot be decoded.
  if (thrown instanceof URIError) return nothingHere()
  if (thrown instanceof Error && 'statusCode' in thrown) {
    const { statusCode, message } = thrown
    if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
      return new Problem(statusCode, message)
  }
  console.error(harmless(inspect(thrown)))
  return new Problem(500, 'Something went wrong in the ticket office.')
}
