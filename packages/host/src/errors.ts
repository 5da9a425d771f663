import { codedError } from '@sluice/core/internal'

/** The error for a part of a frame that this program does not send. */
export function garbled(what: string): Error {
  return new TypeError(`no ${what} is written so`)
}

/** Why a connection is closed: it has brought what is no frame of this program, unless the error says more. */
export function asGarbled(error: unknown): Error {
  if (error instanceof Error && sluiceCodeOf(error) !== undefined) return error
  const message = `a connection was closed, as it brought what no process of Sluice sends: ${reasonOf(error)}`
  return codedError(message, { code: 'SLUICE_HOST_GARBLED' }, { cause: error })
}

/** The code of an error of any realm: in a test runner with a realm of its own, Node's errors are no instances of its `Error`. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

/** The code of an error of Sluice's. */
export function sluiceCodeOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return typeof code === 'string' && code.startsWith('SLUICE_') ? code : undefined
}

export function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error)
}
