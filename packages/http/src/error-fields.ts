import { isError } from './as-error.ts'
import { writtenFields } from './request-state.ts'

/** The headers that errors had of their own, beside the fields given to them: a program may throw one error for many requests. */
const given = new WeakMap<Error, { readonly own: unknown; readonly headers: object }>()

/** Lets an error bring the fields written for a request, beside headers of its own: for a framework that clears them on an error. */
export function bringFields(thrown: unknown, request: object): void {
  if (!isError(thrown) || !Object.isExtensible(thrown)) return
  const present: unknown = 'headers' in thrown ? thrown.headers : undefined
  const before = given.get(thrown)
  const own = before?.headers === present ? before?.own : present
  const headers = { ...writtenFields(request), ...(typeof own === 'object' ? own : {}) }
  given.set(thrown, { own, headers })
  Object.assign(thrown, { headers })
}
