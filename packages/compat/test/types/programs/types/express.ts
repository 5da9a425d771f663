// What is written for express-rate-limit is taken here, and the other way round.
import * as face from '@sluice/compat/express-rate-limit'
import * as theirs from 'express-rate-limit'

const both = <Theirs, Face>(_there: (theirs: Theirs) => Face, _here: (face: Face) => Theirs) => {}

both<theirs.Options, face.Options>(
  (a) => a,
  (a) => a,
)
both<Partial<theirs.Options>, Partial<face.Options>>(
  (a) => a,
  (a) => a,
)
both<theirs.RateLimitInfo, face.RateLimitInfo>(
  (a) => a,
  (a) => a,
)
both<theirs.AugmentedRequest, face.AugmentedRequest>(
  (a) => a,
  (a) => a,
)
both<theirs.Store, face.Store>(
  (a) => a,
  (a) => a,
)
both<theirs.LegacyStore, face.LegacyStore>(
  (a) => a,
  (a) => a,
)
both<theirs.ClientRateLimitInfo, face.ClientRateLimitInfo>(
  (a) => a,
  (a) => a,
)
both<theirs.Client, face.Client>(
  (a) => a,
  (a) => a,
)
both<theirs.IncrementResponse, face.IncrementResponse>(
  (a) => a,
  (a) => a,
)
both<theirs.IncrementCallback, face.IncrementCallback>(
  (a) => a,
  (a) => a,
)
both<theirs.DraftHeadersVersion, face.DraftHeadersVersion>(
  (a) => a,
  (a) => a,
)
both<theirs.EnabledValidations, face.EnabledValidations>(
  (a) => a,
  (a) => a,
)
both<theirs.Logger, face.Logger>(
  (a) => a,
  (a) => a,
)
both<theirs.LoggerFn, face.LoggerFn>(
  (a) => a,
  (a) => a,
)
both<theirs.RateLimitExceededEventHandler, face.RateLimitExceededEventHandler>(
  (a) => a,
  (a) => a,
)
both<theirs.RateLimitReachedEventHandler, face.RateLimitReachedEventHandler>(
  (a) => a,
  (a) => a,
)
both<theirs.RateLimitRequestHandler, face.RateLimitRequestHandler>(
  (a) => a,
  (a) => a,
)
both<theirs.ValueDeterminingMiddleware<string>, face.ValueDeterminingMiddleware<string>>(
  (a) => a,
  (a) => a,
)

const options = {
  windowMs: 60_000,
  message: { error: 'slow down' },
  handler: (_req, res, _next, used) => void res.status(used.statusCode).send(used.message.error),
  keyGenerator: (req) => theirs.ipKeyGenerator(req.ip ?? '', 56) + face.ipKeyGenerator(req.ip ?? ''),
} satisfies Partial<theirs.Options>
export const limiters = [face.rateLimit(options), theirs.rateLimit(options), face.default(), theirs.default()]
export const lengths: readonly number[] = [face.SECOND, face.MINUTE, face.HOUR, face.DAY, theirs.DAY]
export const given: Partial<face.Options> = { store: new face.MemoryStore(), validate: { default: false } }
