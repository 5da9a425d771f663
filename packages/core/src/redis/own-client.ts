import { storeError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { IoredisConnection } from './ioredis.ts'
import { type ClusterClient, IoredisClusterConnection } from './ioredis-cluster.ts'
import type { ServerClient, StatusClient } from './ioredis-life.ts'

export interface Credentials {
  readonly username?: string | undefined
  readonly password?: string | undefined
}

const retryMs = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2000)

/**
 * Never holds commands back, and never sends one twice. A connection that is asked and says nothing for long may be one whose
 * other end is gone: only a new one tells.
 */
const patient = {
  socketTimeout: 2000,
  // How long a closed client goes on waiting for the other end, which may be gone: it keeps the process.
  disconnectTimeout: 100,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: null,
}

/** Reconnects for ever. */
const healing = {
  ...patient,
  retryStrategy: retryMs,
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
}

async function importIoredis() {
  return import('ioredis').catch((cause: unknown) => {
    throw storeError('redis', 'redisStore(url) needs the package ioredis (npm install ioredis)', cause)
  })
}

/** Without a listener a client prints each failed attempt; the store's own events tell of it. */
function quiet<Client extends StatusClient>(client: Client): Client {
  client.on('error', () => {})
  return client
}

async function makeServer(url: string, credentials: Credentials): Promise<ServerClient> {
  const { Redis } = await importIoredis()
  return quiet(new Redis(url, { ...healing, ...given(credentials) }) as unknown as ServerClient) // the real client has what it names
}

async function makeCluster(nodes: readonly string[], credentials: Credentials): Promise<ClusterClient> {
  const { Cluster } = await importIoredis()
  const client = new Cluster([...nodes], {
    clusterRetryStrategy: retryMs,
    redisOptions: { ...patient, ...given(credentials) },
  })
  return quiet(client as unknown as ClusterClient) // as above
}

function given({ username, password }: Credentials): { username?: string; password?: string } {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) }
}

/** Over a client of our own for one server, closed with the store. */
export function toUrl(url: string, credentials: Credentials = {}): Connection {
  return new IoredisConnection(makeServer(url, credentials))
}

/** Over a client of our own for a cluster of which some servers are named, closed with the store. */
export function toCluster(nodes: readonly string[], credentials: Credentials = {}): Connection {
  return new IoredisClusterConnection(makeCluster(nodes, credentials))
}
