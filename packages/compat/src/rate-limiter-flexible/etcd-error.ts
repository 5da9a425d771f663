/** For code that names it: only `RateLimiterEtcd` throws it, which is not offered here. */
export class RateLimiterEtcdTransactionFailedError extends Error {
  override readonly name = 'RateLimiterEtcdTransactionFailedError'
}
