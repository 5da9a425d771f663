import type { Decision, LimiterSettings } from '@sluice/core'
import type { Handle, HttpOptions, KeyAnswer, KeyOf, PolicyChoice, RateLimitOptions } from '@sluice/http'
import type { RouteConfig } from '@sluice/http/internal'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The hooks that come before a handler. */
export const hookNames = ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const
export type HookName = (typeof hookNames)[number]

interface Hook {
  /** The hook to run in; the body is available from preValidation on. @default 'onRequest' */
  hook?: HookName | undefined
}

/** With `global: false` the policies may be left to the routes; the other options hold for all of them. */
interface Shared extends HttpOptions<FastifyRequest>, LimiterSettings {
  global: false
  limiter?: undefined
  policy?: undefined
  policies?: undefined
  key?: KeyOf<FastifyRequest, KeyAnswer<string>> | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a limiter with any subject; its key function returns that
type ForAll = RateLimitOptions<FastifyRequest, string, any> & {
  /** Whether all routes are limited; false: only those with config.rateLimit. @default true */
  global?: boolean | undefined
}

export type RateLimitPluginOptions = (Shared | ForAll) & Hook

/**
 * A route's `config.rateLimit`. Its policies replace the plugin's unless `inherit`, and have their own count, under method and
 * route, unless `name` is shared; the plugin's other options apply where it does not set them. Write `satisfies RouteRateLimit`:
 * Fastify infers config, so without it a misspelt option is found at registration, not by the compiler.
 */
export type RouteRateLimit = HttpOptions<FastifyRequest> &
  Hook &
  Pick<LimiterSettings, 'name' | 'charge' | 'shadow' | 'onStoreFailure'> & {
    policy?: PolicyChoice<FastifyRequest> | undefined
    policies?: { readonly [name: string]: PolicyChoice<FastifyRequest> } | undefined
    key?: KeyOf<FastifyRequest, KeyAnswer<string>> | undefined
    /** Check the plugin's policies, by the plugin's `key`, and the route's in one step. @default false */
    inherit?: boolean | undefined
    /** Policies of the plugin that do not apply here, by name. @default none */
    without?: readonly string[] | undefined
  }

declare module 'fastify' {
  /** What plugins take as the `config.rateLimit` of a route: there may be others than this one. */
  interface FastifyRateLimits {
    sluice: RouteRateLimit
  }
  interface FastifyContextConfig extends RouteConfig<FastifyInstance, FastifyRateLimits> {}
  interface FastifyRequest {
    /** The binding decision so far; null when skipped. */
    rateLimit: Decision | null
  }
  interface FastifyInstance {
    /**
     * The plugin's limit, or a separate one, as a hook with the members of a middleware: for
     * `setNotFoundHandler({ preHandler: app.rateLimitHook() }, …)`, and to clear the count for a request.
     *
     * @example
     * const limit = app.rateLimitHook()
     * await limit.limiter.reset(await limit.keyOf(request))
     */
    rateLimitHook(
      options?: RouteRateLimit,
      // biome-ignore lint/suspicious/noExplicitAny: a hook for instances of any server, including HTTP/2
    ): ((request: any, reply: any) => Promise<void>) & Handle<FastifyRequest>
  }
}
