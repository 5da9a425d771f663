import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Clock, fixedWindow, memoryStore, type Observer, type Policy, type Store } from '@sluice/core'
import type { Handle } from '@sluice/http'
import { manualClock } from '@sluice/testing'
import { Client, type Reply } from './client.ts'
import { listening } from './listening.ts'
import type { Exchange, Options, Route, Running, Site, Start } from './site.ts'

export type PolicyOptions = Extract<Options, { policy: unknown }>
type PoliciesOptions = Extract<Options, { policies: object; limiter?: undefined }>

/** The limit that scenarios speak of unless they say otherwise. */
export const twoIn10s: Policy<'refund' | 'penalize'> = fixedWindow({ limit: 2, window: '10s' })

const onLoopback = { port: 0, host: '127.0.0.1' } as const

/** What one scenario has to itself: a clock, a store, and the sites that it opens. */
export class World {
  readonly clock: Clock & ReturnType<typeof manualClock> = manualClock()
  readonly store: Store = memoryStore({ clock: this.clock })
  /** Codes of warnings that nobody has expected yet. */
  readonly warnings: string[] = []
  /** What the last warning says. */
  lastWarning = ''
  /** How often a handler of a site's default route ran. */
  handled = 0
  readonly #start: Start
  readonly #running: { running: Running; client: Client }[] = []
  readonly #cleanups: (() => unknown)[] = []

  constructor(start: Start) {
    this.#start = start
  }

  readonly #watcher: Observer = {
    warned: ({ code, message }) => {
      this.warnings.push(code)
      this.lastWarning = message
    },
  }

  /** A limiter called `tickets` on this world's store, counting by `X-Key`: two in ten seconds. */
  tickets(more: Partial<PolicyOptions> = {}): PolicyOptions {
    const key: PolicyOptions['key'] = (_, view) => view.header('x-key')
    const { observers, ...others } = more
    return { policy: twoIn10s, name: 'tickets', key, ...this.quiet(observers), ...others }
  }

  /** The same for several policies. */
  office({
    policies,
    observers,
    ...others
  }: Partial<PoliciesOptions> & Pick<PoliciesOptions, 'policies'>): PoliciesOptions {
    const key: PoliciesOptions['key'] = (_, view) => view.header('x-key')
    return { policies, name: 'tickets', key, ...this.quiet(observers), ...others }
  }

  /** Settings without a word on the console: warnings are kept here. */
  quiet(observers: readonly Observer[] = []): {
    store: Store
    observers: readonly Observer[]
    logger: Pick<Console, 'warn' | 'error'>
  } {
    const logger = { warn: () => {}, error: () => {} }
    return { store: this.store, observers: [...observers, this.#watcher], logger }
  }

  /** Answers `ok` and counts itself. */
  readonly ok = (exchange: Exchange): void => {
    this.handled++
    exchange.send(200, 'ok')
  }

  /** Starts a site; without routes, one that answers `ok` under /tickets. */
  async open(site: Partial<Omit<Site, 'routes'>> & { routes?: readonly Partial<Route>[] }): Promise<Client> {
    const routes = (site.routes ?? [{}]).map((route) => {
      return { path: '/tickets', limits: [], handler: this.ok, ...route }
    })
    const running = await this.#start({
      first: undefined,
      limits: [],
      onError: undefined,
      trust: 'none',
      http2: false,
      listen: onLoopback,
      ...site,
      routes,
    })
    return this.serve(running)
  }

  /** A client for a server that was built elsewhere, and does not listen yet. */
  async listen(server: Server): Promise<Client> {
    return this.serve({ ...(await listening(server, onLoopback)), handles: new Map() })
  }

  /** A client for a site that was built elsewhere; it is closed after the scenario. */
  serve(running: Running): Client {
    const client = new Client(running.server)
    this.#running.push({ running, client })
    return client
  }

  /** A site whose every request meets one limiter. */
  limited(options: Options, site: Partial<Site> = {}): Promise<Client> {
    return this.open({ ...site, limits: [options] })
  }

  /** How many counts this world's store keeps. */
  get keys(): number | undefined {
    return this.store.health?.().keys
  }

  /** The site opened last. */
  get running(): Running {
    const last = this.#running.at(-1)
    if (last === undefined) throw new Error('no site is open')
    return last.running
  }

  handleOf(options: Options): Handle<object, string> {
    const handle = this.running.handles.get(options)
    if (handle === undefined) throw new Error('these options have no middleware')
    return handle
  }

  /** The warnings so far, which are then as expected. */
  takeWarnings(): readonly string[] {
    return this.warnings.splice(0)
  }

  /** A path for a unix socket. */
  socketPath(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-http-'))
    this.later(() => rmSync(folder, { recursive: true, force: true }))
    return path.join(folder, 's')
  }

  /** To be done after the scenario, the last one first. */
  later(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup)
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup()
    for (const { running, client } of this.#running.splice(0)) {
      client.close()
      await running.close()
    }
  }
}

/** What a reply says of a limit: status, X- fields, Retry-After. */
export function rowOf({ status, headers }: Reply): readonly (number | string | undefined)[] {
  const { [xLimit]: limit, [xRemaining]: remaining, [xReset]: reset, 'retry-after': retryAfter } = headers
  return [status, one(limit), one(remaining), one(reset), retryAfter]
}

/** What remains after each path is asked for, one after another. */
export async function leftOf(client: Client, paths: readonly string[]): Promise<unknown[]> {
  const left: unknown[] = []
  for (const path of paths) left.push(rowOf(await client.send({ path }))[2])
  return left
}

export const xLimit = 'x-ratelimit-limit'
export const xRemaining = 'x-ratelimit-remaining'
export const xReset = 'x-ratelimit-reset'

function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(' | ') : value
}

/** A promise and what settles it. */
export function signal<T = void>(): { readonly promise: Promise<T>; readonly done: (value: T) => void } {
  let done: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    done = resolve
  })
  return { promise, done }
}
