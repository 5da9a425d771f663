/** The options of `app.rateLimit`, by each of its two declarations where an application has both plugins. */
type OptionsOfHooks<App> = App extends {
  rateLimit: { (options?: infer First): unknown; (options?: infer Second): unknown }
}
  ? [NonNullable<First>, NonNullable<Second>]
  : undefined

/** Whether @fastify/rate-limit is one of the two: its hook has no option `addHeaders`, and that of @sluice/compat has. */
type Declares<Options> = Options extends [infer First, infer Second]
  ? 'addHeaders' extends keyof First & keyof Second
    ? false
    : true
  : false

/**
 * What a Fastify plugin declares of `config.rateLimit` of a route: one of `Limits`. Empty where @fastify/rate-limit has declared that
 * of the same `App`, as the compiler refuses a second declaration.
 */
export type RouteConfig<App, Limits> =
  Declares<OptionsOfHooks<App>> extends true
    ? object
    : { rateLimit?: Limits[keyof Limits] | false | undefined }
