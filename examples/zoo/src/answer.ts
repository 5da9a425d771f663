import type { HttpAnswer } from '@sluice/queue'

/** A response, independent of the framework. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export function json(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  }
}

/** A response of a queue or of the load-test endpoint. */
export function answerOf({ status, headers, body }: HttpAnswer): Answer {
  return { status, headers: Object.fromEntries(headers), body: Buffer.from(body) }
}
