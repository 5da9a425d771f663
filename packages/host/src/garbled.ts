import { codedError } from '@sluice/core/internal'

/** What a frame brings is not what this program sends. */
export function garbled(what: string): Error {
  return new TypeError(`no ${what} is written so`)
}

/** Why a connection is closed: what came is no frame of this program, unless the error says more. */
export function asGarbled(error: unknown): Error {
  if (error instanceof Error && codeOf(error) !== undefined) return error
  const reason = error instanceof Error ? error.message : String(error)
  const message = `a connection was closed, as it brought what no process of Sluice sends: ${reason}`
  return codedError(message, { code: 'SLUICE_HOST_GARBLED' }, { cause: error })
}

/** The code of an error of Sluice's. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('SLUICE_') ? code : undefined
}
