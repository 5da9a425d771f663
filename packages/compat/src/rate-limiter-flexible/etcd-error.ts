/** Exported for code that names it. Only `RateLimiterEtcd` throws it, which is not offered here. */
export class RateLimiterEtcdTransactionFailedError extends Error {
  override readonly name = 'RateLimiterEtcdTransactionFailedError'
}
