import type {
  Decision,
  Handle,
  HttpOptions,
  KeyAnswer,
  KeyOf,
  LimiterSettings,
  PolicyChoice,
  RateLimitOptions,
} from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'

/** The hooks that come before a handler. */
export const hookNames = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const
export type HookName = (typeof hookNames)[number]

interface Hook {
  /** The body is there from preValidation on. @default 'onRequest' */
  hook?: HookName | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a limiter of any question; its key function answers it
export type RateLimitPluginOptions = RateLimitOptions<FastifyRequest, string, any> &
  Hook & {
    /** false: only routes with config.rateLimit. @default true */
    global?: boolean | undefined
  }

/**
 * A route's `config.rateLimit`. Its policies replace the plugin's unless `inherit`, and count by themselves, under method and
 * route, unless `name` is shared; the plugin's other options hold where it says nothing. Write `satisfies RouteRateLimit`:
 * Fastify infers config, so that a misspelt option is seen at registration, not by tsc.
 */
export type RouteRateLimit = HttpOptions<FastifyRequest> &
  Hook &
  Pick<LimiterSettings, 'name' | 'charge' | 'shadow' | 'onStoreFailure'> & {
    policy?: PolicyChoice<FastifyRequest> | undefined
    policies?: { readonly [name: string]: PolicyChoice<FastifyRequest> } | undefined
    key?: KeyOf<FastifyRequest, KeyAnswer<string>> | undefined
    /** Decide the plugin's policies and the route's in one call. @default false */
    inherit?: boolean | undefined
  }

declare module 'fastify' {
  interface FastifyContextConfig {
    rateLimit?: RouteRateLimit | false | undefined
  }
  interface FastifyRequest {
    /** The binding decision so far; null when skipped. */
    rateLimit: Decision | null
  }
  interface FastifyInstance {
    /**
     * The plugin's limit, or one of its own, as a hook that carries its limiter: for
     * `setNotFoundHandler({ preHandler: app.rateLimitHook() }, …)`, and to reset what a request has counted.
     *
     * @example
     * const limit = app.rateLimitHook()
     * await limit.limiter.reset(await limit.keyOf(request))
     */
    rateLimitHook(
      options?: RouteRateLimit,
      // biome-ignore lint/suspicious/noExplicitAny: a hook for instances of any server, HTTP/2 too
    ): ((request: any, reply: any) => Promise<void>) & Handle<FastifyRequest>
  }
}
