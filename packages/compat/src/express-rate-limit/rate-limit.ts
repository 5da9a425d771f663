import { type AnyRouteMiddleware, asError, isUnsent, whenClosed } from '@sluice/http/internal'
import type { NextFunction, Request, Response } from 'express'
import { type Config, configure, type RateLimitOptions, readLimit, readRetryAfter } from './config.ts'
import { setDraftHeaders, setLegacyHeaders, setRetryAfterHeader } from './headers.ts'
import { cannotGet, hitIn } from './other-store.ts'
import { type Hit, SluiceStore } from './sluice-store.ts'
import type { Options, RateLimitInfo, RateLimitRequestHandler } from './types.ts'

/**
 * express-rate-limit's middleware over Sluice: its options, its fields, and what it puts on requests.
 *
 * @example app.use(rateLimit({ windowMs: 15 * 60_000, limit: 100, standardHeaders: 'draft-8', legacyHeaders: false }))
 */
export function rateLimit(
  given: RateLimitOptions = {},
): ((...given: Parameters<AnyRouteMiddleware>) => void) &
  Pick<RateLimitRequestHandler, 'resetKey' | 'getKey'> {
  const config = configure(given)
  const { store, storedKey } = config
  begin(config)

  async function rateLimit(request: Request, response: Response, next: NextFunction): Promise<void> {
    let goesOn: boolean
    try {
      goesOn = await passes(config, { request, response, next })
    } catch (thrown) {
      next(asError(thrown))
      return
    }
    if (goesOn) next()
  }

  const middleware: (request: Request, response: Response, next: NextFunction) => void = rateLimit
  // Express hands it nothing but requests and responses of its own.
  return Object.assign(middleware as AnyRouteMiddleware, {
    resetKey: (key: string) => store.resetKey(storedKey(key)),
    getKey: (key: string) => (store.get === undefined ? cannotGet() : store.get(storedKey(key))),
  })
}

/** Calls the store's `init`. What that throws is logged only, as the store may be well at the first request. */
function begin({ store, options, log }: Config): void {
  // This may throw: an option that the store cannot take is one of the limiter's.
  if (store instanceof SluiceStore) {
    void store.init(options)
    return
  }
  try {
    Promise.resolve(store.init?.(options)).catch((error) => {
      log.error(error, 'express-rate-limit: async error during store initialization.')
    })
  } catch (error) {
    log.error(error, 'express-rate-limit: error during store initialization.')
  }
}

interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly next: NextFunction
}

/** Whether the request goes on; if not, it has been answered. */
async function passes(config: Config, exchange: Exchange): Promise<boolean> {
  const { options, store, validations } = config
  const { request, response, next } = exchange
  const givesBack = options.skipFailedRequests || options.skipSuccessfulRequests
  // Listens from the beginning: the client may hang up while the store is asked.
  const end = givesBack ? endOf(response) : undefined
  if (await options.skip(request, response)) return true
  const key = await keyOf(config, exchange)
  const given = options.limit
  const limit = readLimit(typeof given === 'function' ? await given(request, response) : given)
  const hit = await hitOrNot(config, key, limit)
  if (hit === undefined) return true
  const { totalHits, resetTime } = hit
  validations.run('positiveHits', totalHits)
  validations.run('singleCount', request, store, key)
  validations.run('limit', limit)
  const info = { limit, used: totalHits, remaining: Math.max(0, limit - totalHits), resetTime, key }
  // The old name of `used`; it is not enumerable.
  Object.defineProperty(info, 'current', { value: totalHits })
  Reflect.set(request, options.requestPropertyName, info)
  await setHeaders(config, exchange, info)
  if (end !== undefined) void giveBackAfter(config, { end, hit, exchange })
  if (totalHits <= limit) return true
  if (options.legacyHeaders || options.standardHeaders !== false) await sayWhen(options, exchange, info)
  await options.handler(request, response, next, options)
  return false
}

/** Puts the address in the place of an answer that is no key, so that a client that sends no key is counted all the same. */
async function keyOf(
  { options, validations, addressKey }: Config,
  { request, response }: Exchange,
): Promise<string> {
  const answer: unknown = await options.keyGenerator(request, response)
  if (typeof answer === 'string' && answer !== '') return answer
  if (typeof answer === 'bigint' || Number.isFinite(answer)) return String(answer)
  validations.run('key', answer === '' ? 'an empty one' : answer === null ? 'null' : typeof answer)
  return addressKey(request, response)
}

/** undefined: the store has failed, and the request goes on uncounted. */
async function hitOrNot(
  { options, store, log }: Config,
  key: string,
  limit: number,
): Promise<Hit | undefined> {
  try {
    return await (store instanceof SluiceStore ? store.hit(key, limit) : hitIn(store, key))
  } catch (error) {
    if (!options.passOnStoreError) throw error
    log.error(error, 'express-rate-limit: error from store, allowing request without rate-limiting.')
    return undefined
  }
}

async function setHeaders(
  { options, draft, validations }: Config,
  { request, response }: Exchange,
  info: RateLimitInfo,
): Promise<void> {
  const { legacyHeaders, identifier, windowMs } = options
  if (legacyHeaders) setLegacyHeaders(response, info)
  if (draft === undefined || response.headersSent) return
  if (draft !== 'draft-6') validations.run('headersResetTime', info.resetTime)
  const isNamed = draft === 'draft-8'
  const name = isNamed && typeof identifier === 'function' ? await identifier(request, response) : identifier
  setDraftHeaders(response, info, { draft, windowMs, name: String(name) })
}

async function sayWhen(
  { windowMs, retryAfter }: Options,
  { request, response }: Exchange,
  info: RateLimitInfo,
): Promise<void> {
  const given: unknown = typeof retryAfter === 'function' ? await retryAfter(request, response) : retryAfter
  setRetryAfterHeader(response, info, { windowMs, seconds: readRetryAfter(given) })
}

type End = 'finished' | 'aborted'

/** How responses end: the limiters of one share its listeners, as Node warns of more than ten. */
const ends = new WeakMap<Response, Promise<End>>()

function endOf(response: Response): Promise<End> {
  const known = ends.get(response)
  if (known !== undefined) return known
  const end = new Promise<End>((resolve) => {
    const abort = () => resolve('aborted')
    response.once('finish', () => resolve('finished'))
    response.once('error', abort)
    whenClosed(response, () => {
      // A response that was ended behind another one of its connection, and never sent, counts as not ended.
      if (!response.writableEnded || isUnsent(response)) abort()
    })
  })
  ends.set(response, end)
  return end
}

/** Gives the hit back after the response, where options say so. Never rejects, as nothing awaits it. */
async function giveBackAfter(
  { options, log }: Config,
  { end, hit, exchange }: { end: Promise<End>; hit: Hit; exchange: Exchange },
): Promise<void> {
  const { skipFailedRequests, skipSuccessfulRequests, requestWasSuccessful } = options
  const { request, response } = exchange
  try {
    const succeeded = (await end) === 'finished' && (await requestWasSuccessful(request, response))
    if (succeeded ? skipSuccessfulRequests : skipFailedRequests) await hit.giveBack()
  } catch (error) {
    log.error(error, 'express-rate-limit: a hit was not given back.')
  }
}
