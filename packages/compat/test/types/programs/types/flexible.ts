// What is written for rate-limiter-flexible is taken here, and the other way round.
import * as face from '@sluice/compat/rate-limiter-flexible'
import * as theirs from 'rate-limiter-flexible'

const both = <Theirs, Face>(_there: (theirs: Theirs) => Face, _here: (face: Face) => Theirs) => {}

both<theirs.RateLimiterRes, Readonly<face.RateLimiterRes>>(
  (a) => a,
  (a) => a,
)
both<theirs.IRateLimiterRes, face.IRateLimiterRes>(
  (a) => a,
  (a) => a,
)
both<theirs.IRateLimiterOptions, face.IRateLimiterOptions>(
  (a) => a,
  (a) => a as theirs.IRateLimiterOptions,
)
both<theirs.IRateLimiterQueueOpts, face.IRateLimiterQueueOpts>(
  (a) => a,
  (a) => a as theirs.IRateLimiterQueueOpts,
)
both<theirs.RateLimiterQueueError, face.RateLimiterQueueError>(
  (a) => a as face.RateLimiterQueueError,
  (a) => a as theirs.RateLimiterQueueError,
)
both<theirs.RateLimiterEtcdTransactionFailedError, face.RateLimiterEtcdTransactionFailedError>(
  (a) => a as never,
  (a) => a,
)

/** A wrapper as it is written for theirs. */
export class Wrapper extends face.RateLimiterCompatibleAbstract {
  override readonly keyPrefix = 'mine'
  override blockDuration = 0
  override execEvenly = false
}

const memory = new theirs.RateLimiterMemory({ points: 5, duration: 1 })
const here = new face.RateLimiterMemory({ points: 5, duration: 1, insuranceLimiter: memory })
export const limiters = [
  new face.RateLimiterUnion(here, memory),
  new face.BurstyRateLimiter(here, memory),
  new face.RateLimiterQueue(memory).removeTokens(1, 'key', 0),
  new face.RLWrapperTimeouts({ limiter: memory, timeoutMs: 5 }),
  new face.RLWrapperBlackAndWhite({
    limiter: memory,
    blackList: ['bob'],
    isBlackListed: (key: string) => key === 'eve',
  }),
]
const like: face.RateLimiterLike = memory
export const res: Promise<theirs.RateLimiterRes> = here.consume('bob', 1, { customDuration: 5 })
export const found: Promise<theirs.RateLimiterRes | null> = like.get(
  'bob',
) as Promise<theirs.RateLimiterRes | null>
export const options: face.IRateLimiterRedisOptions = {
  storeClient: undefined as never,
  points: 1,
  duration: 1,
  blockOnConsumed: 5,
}
export type Types = [
  theirs.IRateLimiterStoreOptions | face.IRateLimiterStoreOptions,
  theirs.IRLWrapperBlackAndWhiteOptions | face.IRLWrapperBlackAndWhiteOptions,
  theirs.IRLWrapperTimeoutsOptions | face.IRLWrapperTimeoutsOptions,
]
