import {
  booleanOption,
  checkNames,
  isRecord,
  oneOf,
  optionalFunction,
  optionError,
  wholeNumber,
} from '@sluice/core/internal'
import type { FastifyRequest } from 'fastify'
import { readTime } from './time-window.ts'
import type { RateLimitOptions, RateLimitPluginOptions } from './types.ts'

const limiterNames = [
  'store',
  'skipOnError',
  'max',
  'timeWindow',
  'allowList',
  'keyGenerator',
  'ipv6Subnet',
  'ban',
  'hook',
  'cache',
  'continueExceeding',
  'exponentialBackoff',
  'groupId',
  'errorResponseBuilder',
  'enableDraftSpec',
  'onExceeding',
  'onExceeded',
  'onBanReach',
  'addHeaders',
  'addHeadersOnExceeding',
]
/** The last ones are Fastify's own options of `register`. */
const pluginNames = [...limiterNames, 'global', 'redis', 'nameSpace', 'prefix', 'logLevel', 'logSerializers']

const hookNames = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const

const xLabels = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
  retryAfter: 'retry-after',
}
const draftLabels: typeof xLabels = {
  limit: 'ratelimit-limit',
  remaining: 'ratelimit-remaining',
  reset: 'ratelimit-reset',
  retryAfter: 'retry-after',
}
const allFields = Object.fromEntries(
  [xLabels, draftLabels].flatMap((labels) => Object.values(labels).map((name) => [name, true])),
)

type Fields = { readonly [name: string]: boolean | undefined }
type PerRequest = (req: FastifyRequest, key: string) => number | Promise<number>

/** Complete options of a limiter. A store for @fastify/rate-limit is made from them, too. */
export interface Params extends Omit<RateLimitPluginOptions, 'max' | 'timeWindow'> {
  readonly max: number | PerRequest
  /** In milliseconds. */
  readonly timeWindow: number | PerRequest
  readonly ban: number
  readonly ipv6Subnet: number
  readonly hook: (typeof hookNames)[number]
  readonly labels: typeof xLabels
  readonly addHeaders: Fields
  readonly addHeadersOnExceeding: Fields
}

/** Called with the name of an option whose number makes no sense, and with the default that is used instead. */
export type Instead = (name: string, value: number) => void

export function readPluginOptions(options: RateLimitPluginOptions, instead: Instead): Params {
  checkNames(options, '', pluginNames)
  const { nameSpace } = options
  if (nameSpace !== undefined && (typeof nameSpace !== 'string' || nameSpace === ''))
    throw optionError('nameSpace', 'a string', nameSpace)
  const addHeaders = { ...allFields, ...options.addHeaders }
  const addHeadersOnExceeding = { ...allFields, ...options.addHeadersOnExceeding }
  return complete({ ...options, addHeaders, addHeadersOnExceeding }, instead)
}

/** Options that a limiter leaves out come from the plugin. Its own `addHeaders` replaces the plugin's as a whole. */
export function readLimiterOptions(plugin: Params, own: RateLimitOptions, instead: Instead): Params {
  if (!isRecord(own)) throw optionError('config.rateLimit', 'options of a limiter, or false', own)
  checkNames(own, 'config.rateLimit', limiterNames)
  const said = Object.entries(own).filter(([, value]) => value !== undefined)
  return complete({ ...plugin, ...Object.fromEntries(said) }, instead)
}

function complete(options: RateLimitPluginOptions, instead: Instead): Params {
  for (const name of [
    'keyGenerator',
    'errorResponseBuilder',
    'onExceeding',
    'onExceeded',
    'onBanReach',
  ] as const)
    optionalFunction(options[name], name)
  for (const name of [
    'global',
    'skipOnError',
    'continueExceeding',
    'exponentialBackoff',
    'enableDraftSpec',
  ] as const)
    if (options[name] !== undefined) booleanOption(options[name], name)
  const { groupId, allowList, cache, ban = -1, ipv6Subnet = 64, timeWindow } = options
  if (groupId !== undefined && typeof groupId !== 'string') throw optionError('groupId', 'a string', groupId)
  if (allowList !== undefined && !Array.isArray(allowList)) optionalFunction(allowList, 'allowList')
  if (cache !== undefined) wholeNumber(cache, 'cache', 1)
  return {
    ...options,
    max: typeof options.max === 'function' ? options.max : readMax(options.max, instead),
    timeWindow: typeof timeWindow === 'function' ? timeWindow : readTimeWindow(timeWindow, instead),
    ban: Number.isFinite(ban) && ban >= 0 ? Math.trunc(ban) : -1,
    ipv6Subnet: within('ipv6Subnet', ipv6Subnet, { most: 128, otherwise: 64 }, instead),
    hook: oneOf(options.hook ?? 'onRequest', 'hook', hookNames),
    labels: options.enableDraftSpec === true ? draftLabels : xLabels,
    addHeaders: readFields('addHeaders', options.addHeaders),
    addHeadersOnExceeding: readFields('addHeadersOnExceeding', options.addHeadersOnExceeding),
  }
}

export function readMax(max: unknown, instead: Instead): number {
  return within('max', max ?? 1000, { most: Number.MAX_SAFE_INTEGER, otherwise: 1000 }, instead)
}

export function readTimeWindow(timeWindow: unknown, instead: Instead): number {
  if (typeof timeWindow === 'string') return readTime(timeWindow)
  const limits = { most: Number.MAX_SAFE_INTEGER, otherwise: 60_000 }
  return Math.max(1, within('timeWindow', timeWindow ?? 60_000, limits, instead))
}

/** As in @fastify/rate-limit, the default replaces a number that makes no sense; here with a warning. */
function within(
  name: string,
  value: unknown,
  { most, otherwise }: { most: number; otherwise: number },
  instead: Instead,
): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return Math.trunc(value)
  instead(name, otherwise)
  return otherwise
}

function readFields(name: string, fields: unknown = allFields): Fields {
  if (!isRecord(fields)) throw optionError(name, 'names of fields with true or false', fields)
  return fields as Fields // any value is read as true or false
}
