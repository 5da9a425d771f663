/** By code: there may be two copies of core in a process. */
export function isStoreError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_STORE'
}
