/** What `app.rateLimit` of an application takes, in each of two declarations where there are two. */
type OptionsOfHooks<App> = App extends {
  rateLimit: { (options?: infer First): unknown; (options?: infer Second): unknown }
}
  ? [NonNullable<First>, NonNullable<Second>]
  : undefined

/** The fields of one route are an option of the interface in @sluice/compat, and none of @fastify/rate-limit. */
type Declares<Options> = Options extends [infer First, infer Second]
  ? 'addHeaders' extends keyof First & keyof Second
    ? false
    : true
  : false

/**
 * What plugins of Fastify declare of the config of a route: one of `Limits`. Nothing where @fastify/rate-limit has declared that of the
 * same `App`, as the compiler refuses a second declaration.
 */
export type RouteConfig<App, Limits> =
  Declares<OptionsOfHooks<App>> extends true
    ? object
    : { rateLimit?: Limits[keyof Limits] | false | undefined }
