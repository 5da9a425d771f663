import { isIP, isIPv6 } from 'node:net'
import type { Store as CoreStore } from '@sluice/core'
import { optionError, stores, wholeNumber } from '@sluice/core/internal'
import { canonicalAddress } from '@sluice/http/internal'
import type { Request, Response } from 'express'
import { drafts } from './headers.ts'
import { ipKeyGenerator } from './ip-key-generator.ts'
import { guarded, readLogger } from './logger.ts'
import { MemoryStore } from './memory-store.ts'
import { readStore } from './other-store.ts'
import { checkWindow, SluiceStore } from './sluice-store.ts'
import type { DraftHeadersVersion, GivenOptions, LegacyStore, Logger, Options, Store } from './types.ts'
import { Validations } from './validations.ts'

/** The options of express-rate-limit; `store` may also be a store of Sluice. */
export interface RateLimitOptions extends Omit<GivenOptions, 'store'> {
  store?: Store | LegacyStore | CoreStore | undefined
}

/** The configuration that a limiter runs with. */
export interface Config {
  /** The options with all defaults, as `init` and `handler` get them. */
  readonly options: Options
  readonly store: Store
  readonly draft: DraftHeadersVersion | undefined
  readonly validations: Validations
  /** Writes to the logger of the options, and never throws. */
  readonly log: Logger
  /** The address as a key. */
  readonly addressKey: (request: Request, response: Response) => Promise<string>
  /** The key that an address is counted under where users name it by hand; any other key as it is. */
  readonly storedKey: (key: string) => string
}

export function configure(given: RateLimitOptions): Config {
  if (typeof given !== 'object' || given === null) throw optionError('options', 'an object of options', given)
  const set = withoutUndefined(given)
  const logger = readLogger(set.logger)
  const log = guarded(logger)
  const validations = new Validations(set.validate ?? true, log)
  lookAt(given, validations)
  const bits = set.ipv6Subnet ?? 56
  const addressKey = async (request: Request, response: Response): Promise<string> => {
    validations.run('ip', request.ip)
    validations.run('trustProxy', request)
    validations.run('xForwardedForHeader', request)
    validations.run('forwardedHeader', request)
    const address = addressOf(request)
    if (address === undefined) return 'unknown'
    if (typeof bits !== 'function' || !isIPv6(address)) return ipKeyGenerator(address, bits as number | false)
    const chosen = await bits(request, response)
    validations.run('ipv6Subnet', chosen)
    return ipKeyGenerator(address, chosen)
  }
  const storedKey = (key: string): string => {
    const isOurs = set.keyGenerator === undefined && typeof bits !== 'function'
    return isOurs && isIPv6(key) ? ipKeyGenerator(key, bits) : key
  }
  const store = storeOf(set.store)
  const options: Options = {
    windowMs: 60_000,
    limit: set.max ?? 5,
    message: 'Too many requests, please try again later.',
    statusCode: 429,
    legacyHeaders: set.headers ?? true,
    identifier: (request) =>
      nameOf(Reflect.get(request, options.requestPropertyName).limit, options.windowMs),
    requestPropertyName: 'rateLimit',
    skipFailedRequests: false,
    skipSuccessfulRequests: false,
    requestWasSuccessful: (_request, response) => response.statusCode < 400,
    skip: () => false,
    keyGenerator: addressKey,
    ipv6Subnet: bits,
    handler: (request, response) => refuse(request, response, options),
    passOnStoreError: false,
    ...set,
    standardHeaders: set.standardHeaders === true ? 'draft-6' : (set.standardHeaders ?? false),
    store,
    validate: validations.enabled,
    logger,
  }
  checkValues(options)
  const { standardHeaders } = options
  const draft = drafts.find((each) => each === standardHeaders)
  if (standardHeaders !== false) validations.run('headersDraftVersion', standardHeaders)
  validations.run('creationStack')
  validations.run('unsharedStore', stores.isStore(set.store, 'store') ? set.store : store)
  return { options, store, draft, validations, log, addressKey, storedKey }
}

/** An option that is `undefined` counts as not set. */
function withoutUndefined(
  given: RateLimitOptions,
): Partial<Omit<Options, 'store'>> & Pick<RateLimitOptions, 'store'> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** Reports the likely mistakes that can be seen before the first request. */
function lookAt(given: RateLimitOptions, validations: Validations): void {
  validations.run('validationsConfig', validations.enabled)
  validations.run('knownOptions', given)
  validations.run('draftPolliHeaders', Reflect.get(given, 'draft_polli_ratelimit_headers'))
  validations.run('onLimitReached', Reflect.get(given, 'onLimitReached'))
  if (given.ipv6Subnet !== undefined && typeof given.ipv6Subnet !== 'function')
    validations.run('ipv6Subnet', given.ipv6Subnet)
  validations.run('keyGeneratorIpFallback', given.keyGenerator)
  validations.run('ipv6SubnetOrKeyGenerator', given)
}

function storeOf(store: RateLimitOptions['store']): Store {
  if (store === undefined) return new MemoryStore()
  return stores.isStore(store, 'store') ? new SluiceStore(store) : readStore(store)
}

/** Throws an OptionError for values that would limit nothing, or fail at the first request that is refused. */
function checkValues(options: Options): void {
  const { windowMs, limit, statusCode, retryAfter } = options
  checkWindow(windowMs)
  if (typeof limit !== 'function') readLimit(limit)
  if (typeof retryAfter !== 'function') readRetryAfter(retryAfter)
  wholeNumber(statusCode, 'statusCode', 100, 999)
  for (const name of ['keyGenerator', 'handler', 'skip', 'requestWasSuccessful'] as const) {
    if (typeof options[name] !== 'function') throw optionError(name, 'a function', options[name])
  }
}

/** The limit in whole hits. Throws an OptionError for what is no number, as that would let every request through. */
export function readLimit(limit: unknown): number {
  if (typeof limit === 'number' && limit >= 0) return Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER)
  throw optionError('limit', 'a number of at least 0, or a function that returns one', limit)
}

/** Whole seconds; undefined: until the end of the window. */
export function readRetryAfter(seconds: unknown): number | undefined {
  if (seconds === undefined) return undefined
  if (typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)) return Math.ceil(seconds)
  throw optionError('retryAfter', 'a number of seconds, or a function that returns one', seconds)
}

/** The request's address without the port that some proxies put behind it. */
function addressOf({ ip }: Request): string | undefined {
  return ip === undefined || isIP(ip) !== 0 ? ip : canonicalAddress(ip)
}

function nameOf(limit: number, windowMs: number): string {
  const hours = windowMs / 3_600_000
  if (windowMs < 60_000) return `${limit}-in-${windowMs / 1000}sec`
  if (hours < 1) return `${limit}-in-${windowMs / 60_000}min`
  const [count, unit] = hours < 24 ? [hours, 'hr'] : [hours / 24, 'day']
  return `${limit}-in-${count}${unit}${count > 1 ? 's' : ''}`
}

async function refuse(request: Request, response: Response, { statusCode, message }: Options): Promise<void> {
  response.status(statusCode)
  const body: unknown = typeof message === 'function' ? await message(request, response) : message
  if (!response.writableEnded && !response.headersSent) response.send(body)
}
