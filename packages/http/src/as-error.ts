import { codedError } from '@sluice/core/internal'

/** What frameworks read of an error before they answer. Not `stack`, which V8 writes only when it is read. */
const members = ['name', 'message', 'code', 'status', 'statusCode', 'headers', 'expose', 'cause'] as const

/** Whether it is an error, also one of another realm (a vm, a test runner), that can be read and written on: Koa does both. */
export function isWholeError(thrown: unknown): thrown is Error {
  return isReadable(thrown) && isError(thrown) && typeof thrown.message === 'string'
}

/** Throws where a Proxy says so. */
function isError(thrown: unknown): thrown is Error {
  const is = thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]'
  return is && Object.isExtensible(thrown)
}

/** A Proxy may throw whatever it is asked, and so may a getter. */
function isReadable(thrown: unknown): boolean {
  try {
    isError(thrown)
    for (const member of members) Reflect.get(Object(thrown), member)
    return true
  } catch {
    return false
  }
}

/**
 * What a user's function threw, as an error: frameworks take `undefined` or `'route'` for a sign to go on, which would admit. A frozen
 * error would end the process on Koa, and one that cannot be read leaves a request without an answer.
 */
export function asError(thrown: unknown): Error {
  if (isWholeError(thrown)) return thrown
  const message = `a rate limit's function threw ${textOf(thrown)}`
  const options = isReadable(thrown) ? { cause: thrown } : undefined
  return codedError(message, { code: 'SLUICE_NOT_AN_ERROR' }, options)
}

/** An object may refuse to be written as text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'an object'
  }
}
