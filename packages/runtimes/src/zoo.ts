import { concurrency, createLimiter, fixedWindow, gcra } from '@sluice/core'
import type { RateLimitOptions } from '@sluice/http'

/** Options for any platform: their functions read the view, not the platform's request. */
// biome-ignore lint/suspicious/noExplicitAny: a limiter of any question; its key function answers it
export type Options = RateLimitOptions<object, string, any>

/** What answers under one path, and the limits in front of it, the outermost first. */
interface Place {
  readonly limits: readonly Options[]
  /** Where the address comes from a field. */
  readonly proxies?: number
  answer(request: Request): Response | Promise<Response>
}

const key = (_: object, view: { header(name: string): string | undefined }) => view.header('x-key')
const keyOf = (request: Request) => request.headers.get('x-key') ?? ''
const ok = () => new Response('ok')

const ended = new Set<string>()
const endings = new Map<string, object[]>()
/** The address of who has asked by a key. */
const seen = new Map<string, string>()

/** Looks again and again, as no request of a worker may wake another one. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const places = createLimiter({ name: 'places', policy: concurrency({ limit: 1 }) })
const holding: Options = { limiter: places, key }

/** A body whose second chunk comes when the test says so. */
function streamOf(request: Request): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let begun = false
  let gone = false
  return new ReadableStream(
    {
      async pull(controller) {
        if (!begun) {
          begun = true
          return controller.enqueue(encoder.encode('first '))
        }
        await until(() => gone || ended.has(keyOf(request)))
        if (gone) return
        controller.enqueue(encoder.encode('last'))
        controller.close()
      },
      cancel() {
        gone = true
      },
    },
    { highWaterMark: 0 },
  )
}

const small = fixedWindow({ limit: 2, window: '1m' })
const wide = fixedWindow({ limit: 25, window: '1m' })

/** The same zoo on every runtime. */
export const zoo: { readonly [path: string]: Place } = {
  '/two': { limits: [{ policy: small, name: 'two', key }], answer: ok },
  '/crowd': { limits: [{ policy: wide, name: 'crowd', key }], answer: ok },
  '/address': {
    limits: [
      {
        policy: wide,
        name: 'address',
        key: (request, view) => {
          seen.set(key(request, view) ?? '', view.address ?? 'none')
          return null
        },
      },
    ],
    answer: ok,
  },
  // Limited as the docs begin, where an application is built.
  '/start': { limits: [], answer: ok },
  '/seen': { limits: [], answer: (request) => Response.json(seen.get(keyOf(request)) ?? null) },
  '/proxied': {
    proxies: 1,
    limits: [{ policy: small, name: 'proxied' }],
    answer: ok,
  },
  '/both': {
    limits: [
      { policy: wide, name: 'wide', key, headers: { draft: true } },
      { policy: small, name: 'small', key, headers: { draft: true } },
    ],
    answer: ok,
  },
  '/wait': {
    limits: [{ policy: gcra({ count: 1, period: '100ms' }), name: 'wait', key, maxWait: '20s' }],
    answer: ok,
  },
  '/place': {
    limits: [holding],
    async answer(request) {
      await until(() => request.signal.aborted || ended.has(keyOf(request)))
      return ok()
    },
  },
  '/stream': { limits: [holding], answer: (request) => new Response(streamOf(request), { status: 206 }) },
  '/settled': {
    limits: [
      {
        policy: wide,
        name: 'settled',
        key,
        settle: (request, ending) => void note(request, ending),
      },
    ],
    answer: (request) => new Response(streamOf(request), { status: 206 }),
  },
  '/throws': {
    limits: [holding, { policy: wide, name: 'throws', key }],
    answer() {
      throw new Error('broken on purpose')
    },
  },
  '/nothing': { limits: [{ policy: wide, name: 'nothing', key }], answer: () => null as unknown as Response },
  '/redirect': {
    limits: [{ policy: wide, name: 'redirect', key }],
    answer: () => Response.redirect('http://zoo/two', 303),
  },
  '/empty': {
    limits: [{ policy: wide, name: 'empty', key }],
    answer: () => new Response(null, { status: 204 }),
  },
  '/free': {
    limits: [],
    answer: async (request) => Response.json((await places.peek(keyOf(request))).remaining),
  },
  '/end': {
    limits: [],
    answer(request) {
      ended.add(keyOf(request))
      return ok()
    },
  },
  '/endings': { limits: [], answer: (request) => Response.json(endings.get(keyOf(request)) ?? []) },
}

/** `Request` itself, or where the platform's event keeps it. */
function note(of: object, ending: object): void {
  const name = keyOf(of instanceof Request ? of : (of as { readonly request: Request }).request)
  endings.set(name, [...(endings.get(name) ?? []), { ...ending }])
}

type Handler = (request: Request, ...rest: never[]) => Response | Promise<Response>

/** What answers under each path, behind its limits. */
export function handlersOf(
  rateLimit: (options: Options & { readonly proxies: number }) => (handler: Handler) => unknown,
): { readonly [path: string]: (request: Request, ...rest: readonly unknown[]) => Promise<Response> } {
  return Object.fromEntries(
    Object.entries(zoo).map(([path, { limits, answer, proxies = 0 }]) => [
      path,
      limits.reduceRight<never>(
        (next, options) => rateLimit({ ...options, proxies })(next) as never,
        answer as never,
      ),
    ]),
  )
}

/** A whole server's handler. */
export function zooOf(...given: Parameters<typeof handlersOf>) {
  const handlers = handlersOf(...given)
  return (request: Request, ...rest: readonly unknown[]): Response | Promise<Response> => {
    const handler = handlers[new URL(request.url).pathname]
    return handler === undefined ? new Response('nothing', { status: 404 }) : handler(request, ...rest)
  }
}
