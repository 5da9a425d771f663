import { isIP } from 'node:net'
import { describe, didYouMean } from '@sluice/core/internal'
import { drafts } from './headers.ts'
import type { EnabledValidations, Logger, Options, Validated, ValidationName } from './types.ts'

const page = 'https://github.com/sluicejs/sluice/blob/main/docs/moving/express-rate-limit.md#validations'

/** A likely mistake: it goes to the logger, and stops nothing. */
class ValidationError extends Error {
  override readonly name: string = 'ValidationError'
  readonly code: string
  readonly help: string = page

  constructor(code: string, message: string) {
    super(`${code}: ${message}, see ${page}`)
    this.code = code
  }
}

/** A likely mistake that was right in an older version. */
class ChangeWarning extends ValidationError {
  override readonly name = 'ChangeWarning'
}

type Finding = ValidationError | undefined

const optionNames: { readonly [name in keyof Required<Options>]: true } = {
  windowMs: true,
  limit: true,
  message: true,
  statusCode: true,
  legacyHeaders: true,
  standardHeaders: true,
  identifier: true,
  retryAfter: true,
  requestPropertyName: true,
  skipFailedRequests: true,
  skipSuccessfulRequests: true,
  keyGenerator: true,
  ipv6Subnet: true,
  handler: true,
  skip: true,
  requestWasSuccessful: true,
  store: true,
  validate: true,
  headers: true,
  max: true,
  passOnStoreError: true,
  logger: true,
}
/** Names of options that have a finding of their own. */
const oldNames = ['draft_polli_ratelimit_headers', 'onLimitReached']

/** The frame in a stack by which Express 4 or 5 shows that a request is being handled. */
const handling = /Layer\.handle(Request| \[as handle_request\])/

const usedStores = new WeakSet<object>()
/** How many hits of a limiter are checked for a request that is counted twice: to remember the keys of each would cost too much. */
const hitsLookedAt = 100
/** The keys that a request was counted under, by store or by the class of stores that share their counts. */
const counted = new WeakMap<object, Map<unknown, Set<string>>>()

/** The checks, by their names in `validate`. */
const checks: { readonly [Name in ValidationName]: (...about: Validated[Name]) => Finding } = {
  ip(ip) {
    if (ip === undefined)
      return new ValidationError(
        'ERR_ERL_UNDEFINED_IP_ADDRESS',
        'request.ip is undefined: the connection is gone, or is a unix socket, and all such requests share a count',
      )
    if (isIP(ip) !== 0) return undefined
    return new ValidationError(
      'ERR_ERL_INVALID_IP_ADDRESS',
      `request.ip is no address: ${JSON.stringify(ip)}; a port behind it is ignored`,
    )
  },

  trustProxy(request) {
    if (request.app.get('trust proxy') !== true) return undefined
    return new ValidationError(
      'ERR_ERL_PERMISSIVE_TRUST_PROXY',
      "'trust proxy' is true, so a client can choose its address: name your proxies or their number instead",
    )
  },

  xForwardedForHeader(request) {
    if (!request.headers['x-forwarded-for'] || request.app.get('trust proxy') !== false) return undefined
    return new ValidationError(
      'ERR_ERL_UNEXPECTED_X_FORWARDED_FOR',
      "a request has X-Forwarded-For, but 'trust proxy' is false: behind a proxy all clients share its count",
    )
  },

  forwardedHeader(request) {
    if (!request.headers.forwarded || request.ip !== request.socket?.remoteAddress) return undefined
    return new ValidationError(
      'ERR_ERL_FORWARDED_HEADER',
      'a request has Forwarded, which Express does not read: behind a proxy that sends it all clients share a count',
    )
  },

  key(kind) {
    return new ValidationError(
      'SLUICE_KEY_NOT_USABLE',
      `keyGenerator: expected a string, got ${kind}: such a request counts under the client's network`,
    )
  },

  positiveHits(hits) {
    if (typeof hits === 'number' && Number.isInteger(hits) && hits >= 1) return undefined
    return new ValidationError(
      'ERR_ERL_INVALID_HITS',
      `the store answered ${describe(hits)} for totalHits, expected a whole number of at least 1`,
    )
  },

  unsharedStore(store) {
    if (!usedStores.has(store)) {
      usedStores.add(store)
      return undefined
    }
    const prefixed = 'localKeys' in store && store.localKeys === true ? '' : ', with a unique prefix'
    return new ValidationError(
      'ERR_ERL_STORE_REUSE',
      `two limiters share a store (${store.constructor.name}), and so their counts: make one for each${prefixed}`,
    )
  },

  singleCount(request, store, key) {
    const places = counted.get(request) ?? new Map<unknown, Set<string>>()
    counted.set(request, places)
    const place = store.localKeys === true ? store : store.constructor.name
    const keys = places.get(place) ?? new Set<string>()
    places.set(place, keys)
    const stored = `${store.prefix ?? ''}${key}`
    if (!keys.has(stored)) {
      keys.add(stored)
      return undefined
    }
    return new ValidationError(
      'ERR_ERL_DOUBLE_COUNT',
      'a request was counted twice for one key: a limiter is mounted twice, or two of them share their counts',
    )
  },

  limit(limit) {
    if (limit !== 0) return undefined
    return new ChangeWarning(
      'WRN_ERL_MAX_ZERO',
      'a limit of 0 refuses every request; up to version 6 of express-rate-limit it let every request through',
    )
  },

  draftPolliHeaders(value) {
    if (!value) return undefined
    return new ChangeWarning(
      'WRN_ERL_DEPRECATED_DRAFT_POLLI_HEADERS',
      "draft_polli_ratelimit_headers has no effect: write standardHeaders: 'draft-6'",
    )
  },

  onLimitReached(value) {
    if (!value) return undefined
    return new ChangeWarning(
      'WRN_ERL_DEPRECATED_ON_LIMIT_REACHED',
      'onLimitReached has no effect: write a handler that looks whether used is limit + 1',
    )
  },

  headersDraftVersion(version) {
    if (drafts.some((draft) => draft === version)) return undefined
    return new ValidationError(
      'ERR_ERL_HEADERS_UNSUPPORTED_DRAFT_VERSION',
      `standardHeaders: expected one of ${drafts.join(', ')}, so no such field is sent`,
    )
  },

  headersResetTime(resetTime) {
    if (resetTime !== undefined) return undefined
    return new ValidationError(
      'ERR_ERL_HEADERS_NO_RESET',
      'the store answers no resetTime: the fields say a whole window instead',
    )
  },

  knownOptions(options) {
    const names = Object.keys(optionNames)
    const unknown = Object.keys(options).find((name) => !names.includes(name) && !oldNames.includes(name))
    if (unknown === undefined) return undefined
    const hint = didYouMean(unknown, names)
    return new ValidationError('ERR_ERL_UNKNOWN_OPTION', `no such option: ${JSON.stringify(unknown)}${hint}`)
  },

  validationsConfig(enabled) {
    const names = [...Object.keys(checks), 'default']
    const unknown = Object.keys(enabled).find((name) => !names.includes(name))
    if (unknown === undefined) return undefined
    return new ValidationError(
      'ERR_ERL_UNKNOWN_VALIDATION',
      `validate.${unknown}: no such validation, there are ${names.join(', ')}`,
    )
  },

  creationStack() {
    // The frame of Express may lie below many frames of the user's own.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 50
    const here: { stack?: string } = {}
    Error.captureStackTrace(here)
    Error.stackTraceLimit = limit
    if (!handling.test(here.stack ?? '')) return undefined
    return new ValidationError(
      'ERR_ERL_CREATED_IN_REQUEST_HANDLER',
      'a limiter was made while a request was handled, and counts from nothing: make it once, when the application starts',
    )
  },

  ipv6Subnet(bits) {
    if (bits === false) return undefined
    if (typeof bits === 'number' && Number.isInteger(bits) && bits >= 32 && bits <= 64) return undefined
    return new ValidationError(
      'ERR_ERL_IPV6_SUBNET',
      `ipv6Subnet: expected false or a whole number from 32 to 64, got ${describe(bits)}`,
    )
  },

  ipv6SubnetOrKeyGenerator({ ipv6Subnet, keyGenerator }) {
    if (ipv6Subnet === undefined || keyGenerator === undefined) return undefined
    return new ValidationError(
      'ERR_ERL_IPV6SUBNET_OR_KEYGENERATOR',
      'ipv6Subnet has no effect beside keyGenerator: write ipKeyGenerator(request.ip, bits) there',
    )
  },

  keyGeneratorIpFallback(keyGenerator) {
    if (typeof keyGenerator !== 'function') return undefined
    const text = Function.prototype.toString.call(keyGenerator)
    if (!/\breq(uest)?\.ip\b/.test(text) || /ipKeyGenerator|networkOf/.test(text)) return undefined
    return new ValidationError(
      'ERR_ERL_KEY_GEN_IPV6',
      'keyGenerator uses the address as it is, and IPv6 users have many: write ipKeyGenerator(request.ip)',
    )
  },

  /** Finds nothing: a wrong window is an OptionError, whatever `validate` says. */
  windowMs() {
    return undefined
  },
}

/** The likely mistakes that one limiter looks for. Each is reported once, and costs nothing afterwards. */
export class Validations {
  /** As `validate` was set; a validation that has found something is off. */
  readonly enabled: EnabledValidations
  readonly #logger: Logger
  #hits = 0

  constructor(validate: boolean | EnabledValidations, logger: Logger) {
    this.enabled = typeof validate === 'boolean' ? { default: validate } : { default: true, ...validate }
    this.#logger = logger
  }

  run<Name extends ValidationName>(name: Name, ...about: Validated[Name]): void {
    if (!(this.enabled[name] ?? this.enabled.default)) return
    const finding = checks[name](...about)
    if (finding !== undefined || (name === 'singleCount' && ++this.#hits === hitsLookedAt))
      this.enabled[name] = false
    if (finding instanceof ChangeWarning) this.#logger.warn(finding)
    else if (finding !== undefined) this.#logger.error(finding)
  }
}
