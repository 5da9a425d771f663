import type { Refused, RefusedError } from '@sluice/core'
import { refusedError } from '@sluice/core/internal'
import { isWholeError } from './as-error.ts'
import { writtenFields } from './request-state.ts'
import type { Refusal } from './request-view.ts'
import { statusText } from './status-text.ts'

/** A text that may stand in a field: without a line end, which would begin another field. */
const fieldText = /^[\t\x20-\x7e\x80-\xff]*$/

/** In words, or with the status alone. */
export function plainText(status: number, body: string = statusText(status) ?? ''): Refusal {
  return { status, type: 'text/plain; charset=utf-8', body }
}

export function isRefusal(value: unknown): value is Refusal {
  if (typeof value !== 'object' || value === null) return false
  const { status, type, body } = value as { readonly [name: string]: unknown } // each is looked at
  return isStatus(status) && typeof type === 'string' && fieldText.test(type) && typeof body === 'string'
}

/** A status that every framework accepts. */
function isStatus(status: unknown): boolean {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
}

/** A refusal for a framework's error handler, with the fields that were written for its request. */
export function refusalAsError(request: object, refused: Refused, { status, body }: Refusal): RefusedError {
  return refusedError(refused, titleOf(body, status), { status, headers: writtenFields(request) })
}

/** An error's message: a refusal's text, or what its status is called. */
function titleOf(body: string, status: number): string {
  return body === '' || body.startsWith('{') ? (statusText(status) ?? `status ${status}`) : body
}

/** The headers that errors had of their own, beside the fields given to them: a program may throw one error for many requests. */
const given = new WeakMap<Error, { readonly own: unknown; readonly headers: object }>()

/** Lets an error bring the fields written for a request, beside headers of its own: for a framework that clears them on an error. */
export function bringFields(thrown: unknown, request: object): void {
  if (!isWholeError(thrown)) return
  const present: unknown = 'headers' in thrown ? thrown.headers : undefined
  const before = given.get(thrown)
  const own = before?.headers === present ? before?.own : present
  const headers = { ...writtenFields(request), ...(typeof own === 'object' ? own : {}) }
  given.set(thrown, { own, headers })
  Object.assign(thrown, { headers })
}
