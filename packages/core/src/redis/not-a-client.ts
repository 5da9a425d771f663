import { isLater } from '../later.ts'

/** What is called of each kind of client, whether of one server or a cluster. */
export const ofIoredis: readonly string[] = ['evalsha', 'eval', 'call', 'connect', 'on', 'off']
export const ofNodeRedis: readonly string[] = [
  'evalSha',
  'eval',
  'sendCommand',
  'withTypeMapping',
  'on',
  'off',
]

/** Which of these methods it does not have. */
export function missing(value: object, methods: readonly string[]): readonly string[] {
  const face = value as { readonly [name: string]: unknown } // looked at, never called
  return methods.filter((name) => typeof face[name] !== 'function')
}

/** What could be taken for a client, and by which names that it has, and has not. */
const known: readonly (readonly [what: string, has: readonly string[], hasNot: readonly string[]])[] = [
  ['a pool of node-redis (one client will do: calls go together)', ['evalSha', 'idleClients'], []],
  ['a client of node-redis for Sentinel (give { sentinels, master })', ['evalSha', 'getMasterNode'], []],
  ['a multi of node-redis', ['evalSha', 'exec'], ['isOpen']],
  ['a client of node-redis 4, or one for its old interface', ['evalSha'], ['withTypeMapping']],
  ['a pipeline of ioredis', ['evalsha', 'isPipeline'], []],
  ['a client of node-redis 3', ['evalsha', 'connected'], ['status']],
  ['a client of Valkey GLIDE for a cluster', ['customCommand', 'invokeScriptWithRoute'], []],
]

/** What its owner would call what is no client for a store; undefined: its type says as much. */
export function lookAlike(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isLater(value)) return 'a promise (await it first)'
  const other = known.find(
    ([, has, hasNot]) => has.every((name) => name in value) && !hasNot.some((name) => name in value),
  )
  return other?.[0] ?? lacking(value, ofIoredis) ?? lacking(value, ofNodeRedis)
}

/** Of a client that somebody has made for a test, or wrapped. */
function lacking(value: object, [first = '', ...rest]: readonly string[]): string | undefined {
  if (!(first in value)) return undefined
  const names = missing(value, rest).join(', ')
  return `an object with ${first}${names === '' ? '' : ` that lacks ${names}`}`
}
