import { checkNames, optionError } from '@sluice/core/internal'

/** Names of limiters' options. Each limiter takes those of the others, too, as limiters are made from shared options, and ignores them. */
const names = [
  'points',
  'duration',
  'keyPrefix',
  'blockDuration',
  'execEvenly',
  'execEvenlyMinDelayMs',
  'insuranceLimiter',
  'storeClient',
  'blockOnConsumed',
  'inMemoryBlockOnConsumed',
  'inMemoryBlockDuration',
  'rejectIfRedisNotReady',
  'useRedisPackage',
  'useRedis3AndLowerPackage',
  'customIncrTtlLuaScript',
  'storeType',
  'dbName',
  'tableName',
  'tableCreated',
  'clearExpiredByTimeout',
  'timeoutMs',
]

/** Throws an OptionError for an unknown option, as it would have no effect. */
export function checkLimiterNames(options: unknown): void {
  checkNames(options, '', names)
}

/** Options that have an effect on a limiter in Redis in rate-limiter-flexible, and none here. */
const unsupported: Readonly<Record<string, string>> = {
  customIncrTtlLuaScript:
    'nothing: a script of your own is a strategy of your own here (https://github.com/sluicejs/sluice/blob/main/docs/own-strategy.md)',
  useRedis3AndLowerPackage: 'nothing: the package redis is taken from version 5 on',
}

export function refuseUnsupported(options: object): void {
  for (const [name, expected] of Object.entries(unsupported)) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined && value !== false) throw optionError(name, expected, value)
  }
}
