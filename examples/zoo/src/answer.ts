import type { HttpAnswer } from '@sluice/queue'

/** A response, whatever the framework. */
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

/** What a queue or the load-test endpoint says over HTTP. */
export function answerOf({ status, headers, body }: HttpAnswer): Answer {
  return { status, headers: Object.fromEntries(headers), body: Buffer.from(body) }
}
