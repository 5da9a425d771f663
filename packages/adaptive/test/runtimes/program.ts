import { adaptiveLimit, shedding } from '@sluice/adaptive'
import { shed } from '@sluice/adaptive/fetch'

// A server of Bun or Deno with one place, and its clients; prints the answers they get.

type Handler = (request: Request) => Promise<Response>

/** As much of both as is used here. */
interface Runtime {
  readonly Bun?: {
    serve(options: { port: number; hostname: string; fetch: Handler }): {
      port: number
      stop(now: boolean): void
    }
  }
  readonly Deno?: {
    serve(
      options: { port: number; hostname: string; onListen(): void },
      handler: Handler,
    ): { addr: { port: number }; shutdown(): void }
  }
}

const hostname = '127.0.0.1'

function served(handler: Handler): { port: number; close(): void } {
  const { Bun, Deno } = globalThis as Runtime
  if (Bun !== undefined) {
    const server = Bun.serve({ port: 0, hostname, fetch: handler })
    return { port: server.port, close: () => server.stop(true) }
  }
  if (Deno === undefined) throw new Error('neither Bun nor Deno')
  const server = Deno.serve({ port: 0, hostname, onListen: () => {} }, handler)
  return { port: server.addr.port, close: () => server.shutdown() }
}

const load = shedding({
  limit: adaptiveLimit({ min: 1, initial: 1, max: 1 }),
  eventLoopDelay: false,
  retryAfter: ['2s', '2s'],
})
let go = () => {}
const released = new Promise<void>((resolve) => {
  go = resolve
})
let begun = 0
const server = served(
  shed({ load })(async ({ url }) => {
    begun++
    if (url.endsWith('/wait')) await released
    return new Response('hello')
  }),
)
const get = (path: string, init: RequestInit = {}) => fetch(`http://${hostname}:${server.port}${path}`, init)

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const first = await get('/hello')
const text = await first.text()
const gone = new AbortController()
const waiting = get('/wait', { signal: gone.signal }).then(
  () => 'answered',
  () => 'gone',
)
await until(() => begun === 2)
const refused = await get('/hello')
const { retryAfter } = JSON.parse(await refused.text())
gone.abort()
const caller = await waiting
const whileItWorks = load.limit.inFlight
go()
await until(() => load.limit.inFlight === 0)
const again = (await get('/hello')).status
console.log(
  JSON.stringify({
    text,
    refused: [refused.status, refused.headers.get('retry-after'), retryAfter],
    caller,
    whileItWorks,
    again,
  }),
)
load.close()
server.close()
