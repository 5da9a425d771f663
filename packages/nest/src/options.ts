import type { LimiterSettings } from '@sluice/core'
import type { HttpOptions, KeyAnswer, KeyOf, PolicyChoice, RateLimitOptions } from '@sluice/http'
import type { Gate } from '@sluice/http/internal'

/** What functions of options get: Express's or Fastify's request, or the socket of a gateway's client. Name its type in the function. */
// biome-ignore lint/suspicious/noExplicitAny: which of them it is, only the application knows
export type NestRequest = any

export type RequestGate = Gate<object>

export interface GatewayOptions {
  /**
   * For gateways and graphql-ws, as platforms know the proxies of requests only: addresses and CIDR of those whose X-Forwarded-For is
   * believed. Of gateways on socket.io only; ws keeps no headers. @default none
   */
  trustProxy?: readonly string[] | undefined
}

/** With `global: false` the policies may be left to the decorators; the other options hold for all of them. */
interface Shared extends HttpOptions<NestRequest>, LimiterSettings, GatewayOptions {
  global: false
  limiter?: undefined
  policy?: undefined
  policies?: undefined
  key?: KeyOf<NestRequest, KeyAnswer<string>> | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a limiter with any subject; its key function returns that
type ForAll = RateLimitOptions<NestRequest, string, any> &
  GatewayOptions & {
    /** Whether all guarded handlers are limited; false: only those with `@RateLimit`. @default true */
    global?: boolean | undefined
  }

export type RateLimitModuleOptions = Shared | ForAll

/**
 * What `@RateLimit` takes. Its policies replace the module's unless `inherit`, and have their own count, under the names of class
 * and method, unless `name` is shared; the module's other options apply where it does not set them.
 */
export type RouteRateLimit = HttpOptions<NestRequest> &
  Pick<LimiterSettings, 'name' | 'charge' | 'shadow' | 'onStoreFailure'> & {
    policy?: PolicyChoice<NestRequest> | undefined
    policies?: { readonly [name: string]: PolicyChoice<NestRequest> } | undefined
    key?: KeyOf<NestRequest, KeyAnswer<string>> | undefined
    /**
     * Check the module's policies, by the module's `key`, and these in one step; one with the name of one of the module's takes its place.
     *
     * @default false
     */
    inherit?: boolean | undefined
    /** Policies of the module that do not apply here, by name. @default none */
    without?: readonly string[] | undefined
  }
