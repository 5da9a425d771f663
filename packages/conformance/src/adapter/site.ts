import type { ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import type { Readable } from 'node:stream'
import type { Decision } from '@sluice/core'
import type { Handle, RateLimitOptions } from '@sluice/http'

/** Options that hold in every framework: their functions read the view, not the framework's request. */
// biome-ignore lint/suspicious/noExplicitAny: a limiter of any question; its key function answers it
export type Options = RateLimitOptions<object, string, any>

/** One request and its response, as any framework has them. */
export interface Exchange {
  /** What the framework gives to the functions of options. */
  readonly request: object
  readonly raw: ServerResponse
  /** What the adapter has left on the request. */
  readonly decision: Decision | null | undefined
  set(name: string, value: string): void
  /** Leaves the response to the handler, where the framework wants to know of it. */
  takeOver?(): void
  /** Answers by the framework's own means. */
  send(status: number, body?: string | Readable): void
}

/** Answers, throws or rejects. */
export type Handler = (exchange: Exchange) => unknown

/** One path under every method. */
export interface Route {
  readonly path: string
  readonly limits: readonly Options[]
  readonly handler: Handler
}

/** A warning's message: a site does what it says for its framework, and nothing else. */
interface Advice {
  readonly advice: string
}

/** An application, as data that each framework's `start` builds from. */
export interface Site {
  /** Runs ahead of everything and goes on. */
  readonly first: Handler | undefined
  /** Ahead of every route, in this order; what stands here twice is put there twice. */
  readonly limits: readonly Options[]
  readonly routes: readonly Route[]
  /** The framework's error handler; undefined: its own. */
  readonly onError: ((error: unknown, exchange: Exchange) => void) | undefined
  /** Whose X-Forwarded-For is believed: nobody's, that of the one proxy in front, anybody's, or what a warning advises (`advised`). */
  readonly trust: 'none' | 'one' | 'all' | Advice
  readonly http2: boolean
  /** For the framework's own `listen`. */
  readonly listen: { readonly port: number; readonly host: string } | { readonly path: string }
}

/** A site that listens. */
export interface Running {
  readonly server: Server
  /** What the middleware of given options carries; empty where a framework has no middleware. */
  readonly handles: ReadonlyMap<Options, Handle<object, string>>
  /** As the framework's users close it: what is in flight is answered. */
  close(): Promise<void>
}

/** What a framework's test file brings. */
export type Start = (site: Site) => Promise<Running>
