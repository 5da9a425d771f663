import { codedError } from '@sluice/core/internal'

/** Whether it is an error, also one of another realm (a vm, a test runner). */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]'
}

/**
 * What a user's function threw, as an error: frameworks take `undefined` or `'route'` for a sign to go on, which would admit. Koa
 * writes on errors, and a frozen one would end the process.
 */
export function asError(thrown: unknown): Error {
  if (isError(thrown) && Object.isExtensible(thrown)) return thrown
  const message = `a rate limit's function threw ${textOf(thrown)}`
  return codedError(message, { code: 'SLUICE_NOT_AN_ERROR' }, { cause: thrown })
}

/** An object may refuse to be written as text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'an object'
  }
}
