/** A queue takes no more callers, or can never have as many tokens at once. */
export class RateLimiterQueueError extends Error {
  readonly code = 'SLUICE_QUEUE_REFUSED'
  readonly extra: string | undefined
  override readonly name = 'RateLimiterQueueError'

  constructor(message?: string, extra?: string) {
    super(message)
    this.extra = extra
  }
}
