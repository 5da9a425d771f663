import type { HeaderPort } from './request-state.ts'

/** Answers by the request class of an instance: all requests of one instance have the same trust. */
const kinds = new WeakMap<object, boolean>()

/** More hops than real proxies, with addresses reserved for documentation (RFC 5737). */
const chain = Array.from({ length: 40 }, (_, i) => `203.0.113.${i + 1}`)
const stranger = '198.51.100.1'

/**
 * Whether Fastify's instance behind a request trusts everything in X-Forwarded-For. Fastify does not expose this: a made-up request
 * shows it.
 */
export function believesAnybody(request: object): boolean {
  const kind: object = Object.getPrototypeOf(request)
  let believes = kinds.get(kind)
  if (believes === undefined) {
    believes = addressOfStranger(kind) === chain[0]
    kinds.set(kind, believes)
  }
  return believes
}

function addressOfStranger(kind: object): unknown {
  const raw = { headers: { 'x-forwarded-for': chain.join(', ') }, socket: { remoteAddress: stranger } }
  try {
    return Reflect.get(Object.create(kind, { raw: { value: raw } }), 'ip')
  } catch {
    // A trust function of the program's own may know only its own addresses.
    return undefined
  }
}

/** As much of Fastify's reply as fields need. */
interface Reply {
  readonly raw: { readonly headersSent: boolean }
  getHeader(name: string): unknown
  header(name: string, value: string): unknown
}

/** The headers of Fastify's reply under the names of a response's. */
export class ReplyFields implements HeaderPort {
  readonly #reply: Reply

  constructor(reply: Reply) {
    this.#reply = reply
  }

  get headersSent(): boolean {
    return this.#reply.raw.headersSent
  }

  getHeader(name: string): unknown {
    return this.#reply.getHeader(name)
  }

  setHeader(_name: string, value: string, lowerName: string): void {
    this.#reply.header(lowerName, value)
  }
}

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
