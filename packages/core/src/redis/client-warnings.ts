import type { Warning } from '../store.ts'

type Settings = { readonly [name: string]: unknown }

function settingsOf(value: unknown, name: string): Settings {
  const settings: unknown =
    typeof value === 'object' && value !== null ? (value as Settings)[name] : undefined
  return typeof settings === 'object' && settings !== null ? (settings as Settings) : {} // looked at, never called
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0
}

const noReconnect = (setting: string, strategy: string = setting): Warning => ({
  code: 'SLUICE_CLIENT_NO_RECONNECT',
  message: `the Redis client does not reconnect (${setting}): after a lost connection it stays away; let ${strategy} return a number of milliseconds`,
})
const halfOpen = (lack: string, remedy: string): Warning => ({
  code: 'SLUICE_CLIENT_HALF_OPEN',
  message: `${lack}: a connection whose other end is gone is not noticed for minutes; ${remedy}`,
})
const reconnectOnError = 'reconnectOnError: (error) => error.message.includes("READONLY")'
const readOnly: Warning = {
  code: 'SLUICE_CLIENT_READONLY',
  message: `the Redis client has no reconnectOnError for READONLY: it stays with a master that has become a replica; set ${reconnectOnError}`,
}

/** For a client that has met a replica twice on one connection, whatever its settings are. */
export const staysWithReplica: Warning = {
  code: 'SLUICE_CLIENT_READONLY',
  message:
    'the Redis server is a replica (READONLY), and the client stays with it: reconnect the client, or give redisStore a URL, or a client of ioredis with reconnectOnError',
}

/** Settings of a caller's own ioredis client that keep it from recovering. */
export function warningsOfIoredis(client: unknown): readonly Warning[] {
  const { retryStrategy, ...settings } = settingsOf(client, 'options')
  return [
    ...(isSet(retryStrategy) ? [] : [noReconnect('retryStrategy')]),
    ...staying(isSet(settings.socketTimeout), isSet(settings.reconnectOnError)),
  ]
}

/** One warning where both settings are missing, as in most clients. */
function staying(leavesSilent: boolean, leavesReplica: boolean): readonly Warning[] {
  if (leavesSilent) return leavesReplica ? [] : [readOnly]
  if (leavesReplica) return [halfOpen('the Redis client has no socketTimeout', 'set socketTimeout: 2000')]
  return [
    halfOpen(
      'the Redis client has no socketTimeout and no reconnectOnError',
      `and it stays with a master that has become a replica; set socketTimeout: 2000 and ${reconnectOnError}`,
    ),
  ]
}

/** The same for a cluster client, which finds a new master without our help. */
export function warningsOfIoredisCluster(client: unknown): readonly Warning[] {
  const options = settingsOf(client, 'options')
  const { socketTimeout } = settingsOf(options, 'redisOptions')
  return [
    ...(isSet(options.clusterRetryStrategy) ? [] : [noReconnect('clusterRetryStrategy')]),
    ...(isSet(socketTimeout)
      ? []
      : [
          halfOpen(
            'the Redis client has no redisOptions.socketTimeout',
            'set redisOptions: { socketTimeout: 2000 }',
          ),
        ]),
  ]
}

/**
 * The same for a node-redis client. Its socketTimeout starts anew with every write, so it does not notice a silent connection that is
 * in use; after it has fired, the client's own way of reconnecting gives up.
 */
export function warningsOfNodeRedis(client: unknown): readonly Warning[] {
  const { reconnectStrategy, socketTimeout } = settingsOf(settingsOf(client, 'options'), 'socket')
  const givesUp = isSet(socketTimeout) && reconnectStrategy === undefined
  return [
    ...(reconnectStrategy === false ? [noReconnect('socket.reconnectStrategy')] : []),
    ...(givesUp
      ? [noReconnect('socket.socketTimeout without a reconnectStrategy', 'socket.reconnectStrategy')]
      : []),
    halfOpen(
      'node-redis never ends a connection that is in use',
      'and it stays with a master that has become a replica; give redisStore a URL, or ioredis with socketTimeout: 2000 and reconnectOnError',
    ),
  ]
}
