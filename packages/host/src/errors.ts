import { codedError } from '@sluice/core/internal'

/** What a frame brings is not what this program sends. */
export function garbled(what: string): Error {
  return new TypeError(`no ${what} is written so`)
}

/** Why a connection is closed: what came is no frame of this program, unless the error says more. */
export function asGarbled(error: unknown): Error {
  if (error instanceof Error && sluiceCodeOf(error) !== undefined) return error
  const message = `a connection was closed, as it brought what no process of Sluice sends: ${reasonOf(error)}`
  return codedError(message, { code: 'SLUICE_HOST_GARBLED' }, { cause: error })
}

/** Errors of Node itself are of another realm where a test runner has one of its own. */
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
