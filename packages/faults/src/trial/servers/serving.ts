import type { Server } from 'node:http'
import { type LimiterSettings, type Policy, redisStore, type Store, slidingWindowLog } from '@sluice/core'
import { Redis } from 'ioredis6'
import { type OnStoreFailure, rules, type ServerSettings } from '../settings.ts'

/** Options of one limiter, and the path that it stands before. */
interface Limited {
  readonly path: string
  readonly options: LimiterSettings & { policy: Policy; onStoreFailure?: OnStoreFailure }
}

/** What a framework's program builds: listening or about to, and closed with its limiters. */
interface Application {
  readonly server: Server
  close(): Promise<void>
}

/** What a server process says: first its port, then its health whenever it is asked. */
export type Report = { readonly port: number } | { readonly health: unknown }

/** Runs a program until SIGTERM; then everything is closed, and nothing keeps the process. */
export async function serve(build: (limits: readonly Limited[]) => Promise<Application>): Promise<void> {
  const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings // passed by the parent process
  const { store, end } = openStore(settings)
  const { server, close } = await build(limitsOn(store, settings))
  process.on('message', (message) => {
    if (message === 'health') report({ health: store.health?.() })
  })
  // A killed test must not leave it behind; from SIGTERM on it has to end by itself.
  const abandoned = () => process.exit(1)
  process.once('disconnect', abandoned)
  process.once('SIGTERM', () => {
    process.off('disconnect', abandoned)
    void close()
      .then(() => store.close())
      .then(end)
      .then(() => process.disconnect())
  })
  // Longer than a trial: if the server ended a connection while a request is on its way, that would be no fault of the limiter's.
  server.keepAliveTimeout = 60_000
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a server listens on a port')
  report({ port: address.port })
}

function openStore({ redis, ownClient = false }: ServerSettings): { store: Store; end: () => void } {
  if (!ownClient) return { store: redisStore(redis), end: () => {} }
  const client = new Redis(redis)
  // The application listens to errors, as ioredis asks of it.
  client.on('error', () => {})
  return { store: redisStore(client), end: () => client.disconnect() }
}

function limitsOn(store: Store, { framework, onStoreFailure }: ServerSettings): readonly Limited[] {
  return Object.entries(rules).map(([name, { limit, windowMs }]) => ({
    path: `/${name}`,
    options: {
      name: `${framework} ${name}`,
      policy: slidingWindowLog({ limit, window: windowMs }),
      store,
      ...(onStoreFailure && { onStoreFailure }),
    },
  }))
}

function report(message: Report): void {
  process.send?.(message)
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
