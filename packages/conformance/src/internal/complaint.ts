/** The message of the error that a call throws. */
export function complaint(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing'
}
