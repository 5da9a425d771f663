import { isLater } from '../answers.ts'

// The types of clients are structural, so that no type of a peer is imported.

/** An ioredis client, 5 or 6, of one server or a cluster. */
export interface IoredisLike {
  evalsha(...args: never[]): Promise<unknown>
  readonly status: string
}

/** A node-redis client (the package `redis`, 5 or 6), of one server or a cluster. */
export interface NodeRedisLike {
  evalSha(...args: never[]): Promise<unknown>
  sendCommand(...args: never[]): Promise<unknown>
}

/** A client of Valkey GLIDE (the package `@valkey/valkey-glide`, 2) for one server. */
export interface GlideLike {
  customCommand(...args: never[]): Promise<unknown>
  invokeScript(...args: never[]): Promise<unknown>
}

/** The methods that are called on each kind of client, whether of one server or a cluster. */
const ofIoredis: readonly string[] = ['evalsha', 'eval', 'call', 'connect', 'on', 'off']
const ofNodeRedis: readonly string[] = ['evalSha', 'eval', 'sendCommand', 'withTypeMapping', 'on', 'off']

function hasAll(value: unknown, methods: readonly string[]): value is object {
  return typeof value === 'object' && value !== null && missing(value, methods).length === 0
}

/** Which of these methods the value lacks. */
function missing(value: object, methods: readonly string[]): readonly string[] {
  const face = value as { readonly [name: string]: unknown } // looked at, never called
  return methods.filter((name) => typeof face[name] !== 'function')
}

export function isIoredis(value: unknown): value is IoredisLike {
  return hasAll(value, ofIoredis) && 'status' in value && typeof value.status === 'string'
}

export function isIoredisCluster(client: IoredisLike): boolean {
  return 'isCluster' in client && client.isCluster === true
}

/** Whether it is a client of node-redis for one server or a cluster; a pool or a client of Sentinel is not. */
export function isNodeRedis(value: unknown): value is NodeRedisLike {
  return (
    hasAll(value, ofNodeRedis) &&
    'isOpen' in value &&
    typeof value.isOpen === 'boolean' &&
    (isNodeRedisCluster(value) || ('select' in value && 'isReady' in value))
  )
}

export function isNodeRedisCluster(value: object): boolean {
  return 'nodeClient' in value && 'slots' in value
}

/** Whether it is a client of Valkey GLIDE for one server; a client for a cluster is not. */
export function isGlide(value: unknown): value is GlideLike {
  return hasAll(value, ['customCommand']) && 'invokeScript' in value && !('invokeScriptWithRoute' in value)
}

/** Objects that could be taken for a client, and the names of properties that each has, and has not. */
const known: readonly (readonly [what: string, has: readonly string[], hasNot: readonly string[]])[] = [
  ['a pool of node-redis (one client will do: calls go together)', ['evalSha', 'idleClients'], []],
  ['a client of node-redis for Sentinel (give { sentinels, master })', ['evalSha', 'getMasterNode'], []],
  ['a multi of node-redis', ['evalSha', 'exec'], ['isOpen']],
  ['a client of node-redis 4, or one for its old interface', ['evalSha'], ['withTypeMapping']],
  ['a pipeline of ioredis', ['evalsha', 'isPipeline'], []],
  ['a client of @upstash/redis (give { url, token })', ['evalsha', 'createScript'], []],
  ['ioredis-mock (a test without Redis counts in memory: leave store out)', ['evalsha', 'keyData'], []],
  ['a client of node-redis 3', ['evalsha', 'connected'], ['status']],
  ['a client of Valkey GLIDE for a cluster', ['customCommand', 'invokeScriptWithRoute'], []],
]

/** What its owner would call a value that is no client for a store. undefined: its type says as much. */
export function lookAlike(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isLater(value)) return 'a promise (await it first)'
  const other = known.find(
    ([, has, hasNot]) => has.every((name) => name in value) && !hasNot.some((name) => name in value),
  )
  return other?.[0] ?? lacking(value, ofIoredis) ?? lacking(value, ofNodeRedis)
}

/** Which methods are missing from a client that somebody has made for a test, or wrapped. */
function lacking(value: object, [first = '', ...rest]: readonly string[]): string | undefined {
  if (!(first in value)) return undefined
  const names = missing(value, rest).join(', ')
  return `an object with ${first}${names === '' ? '' : ` that lacks ${names}`}`
}

/** What is expected where no client of our own can be made. */
export const ioredisNeeded = 'the package ioredis, which connects to a URL: npm install ioredis'
