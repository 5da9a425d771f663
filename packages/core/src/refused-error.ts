import type { Refused } from './decision.ts'

/** A refusal as an error, for those who ask for one (`refuseBy: 'error'`). Tell it by `isRefusedError`. */
export interface RefusedError extends Error {
  readonly code: 'SLUICE_REFUSED'
  readonly decision: Refused
  readonly status: number
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly expose: true
}

export function refusedError(
  decision: Refused,
  message: string,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
): RefusedError {
  const facts = { code: 'SLUICE_REFUSED', status, statusCode: status, headers, expose: true } as const
  return Object.assign(new Error(message), facts, { decision })
}

/** By code: `instanceof` fails between two copies of this package. */
export function isRefusedError(error: unknown): error is RefusedError {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_REFUSED'
}
