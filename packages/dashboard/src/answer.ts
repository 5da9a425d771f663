import type { ServerResponse } from 'node:http'
import { problemAnswer } from '@sluice/http/internal'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const always: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', policy],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
]

export type Fields = Readonly<Record<string, string>>

/** Sets the status and fields of a response, which is not cached unless the fields say otherwise. */
export function begin(response: ServerResponse, status: number, fields: Fields): void {
  response.statusCode = status
  for (const [name, value] of always) response.setHeader(name, value)
  response.setHeader('Cache-Control', 'no-store')
  for (const [name, value] of Object.entries(fields)) response.setHeader(name, value)
}

/** Sends a complete response; for HEAD without its body. */
export function answer(
  response: ServerResponse,
  status: number,
  { body = '', ...fields }: Fields & { readonly body?: string },
): void {
  begin(response, status, fields)
  if (status !== 204 && status !== 304) response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

export function answerJson(response: ServerResponse, value: unknown): void {
  answer(response, 200, { 'Content-Type': 'application/json; charset=utf-8', body: JSON.stringify(value) })
}

/** `application/problem+json` of RFC 9457. */
export function answerProblem(
  response: ServerResponse,
  status: number,
  detail: string,
  fields: Fields = {},
): void {
  const { body } = problemAnswer(status, detail)
  answer(response, status, { 'Content-Type': 'application/problem+json; charset=utf-8', ...fields, body })
}
