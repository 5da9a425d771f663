// Asks a burst of checks in a process that has just begun, collects what is young in the midst of it, and goes on as a busy server
// does. Prints how many bytes of each later check are made among the old objects, or come there. Started by the guard.
import { createLimiter, fixedWindow, gcra, redisStore } from '@sluice/core'
import { rateLimit as limitFetch } from '@sluice/fetch'
import { rateLimit } from '@sluice/koa'
import { Redis } from 'ioredis'

const rate = { count: 1000, period: '1h', burst: 10_000_000 } as const
const policies = {
  counter: { default: fixedWindow({ limit: 1_000_000_000, window: '1h' }) },
  three: { one: gcra(rate), two: gcra({ ...rate, count: 999 }), three: gcra({ ...rate, count: 998 }) },
}
const [port, name] = process.argv.slice(2) as [
  string,
  keyof typeof policies | 'requests' | 'settled' | 'fetch',
]
const client = new Redis(Number(port), '127.0.0.1')
const store = redisStore(client, { deadline: '10s' })
const logger = { warn() {}, error() {} }
const limiter = createLimiter({
  name,
  policies: policies[name === 'three' ? name : 'counter'],
  store,
  logger,
})
await limiter.ready()
const middleware = rateLimit({ limiter })
const settling = rateLimit({ limiter, settle: () => 1 })

/** What the middleware reads and writes of a context of Koa. */
class Context {
  readonly req = socketless
  readonly res = new Response()
  readonly app = application
  readonly headers = none
  readonly method = 'GET'
  readonly state: { rateLimit?: unknown } = {}
  declare readonly ip: string

  constructor(ip: string) {
    this.ip = ip
  }
}

class Response {
  readonly statusCode = 200
  headersSent = false
  writableEnded = false
  destroyed = false
  readonly #calls = new Set<() => void>()

  getHeader(): void {}
  setHeader(): void {}
  once(_event: string, call: () => void): void {
    this.#calls.add(call)
  }

  end(): void {
    this.headersSent = true
    this.writableEnded = true
    this.destroyed = true
    for (const call of this.#calls) call()
  }
}

const none = {}
const application = { proxy: false, maxIpsCount: 0 }
const socketless = { socket: { remoteAddress: undefined } }

async function request(ip: string, by: typeof middleware = middleware): Promise<void> {
  const context = new Context(ip)
  await by(context as never, async () => {}) // no server stands behind it
  context.res.end()
}

/** What the adapter of Web-standard handlers reads of a request and writes on an answer. */
class WebRequest {
  readonly method = 'GET'
  readonly headers = noHeaders
  declare readonly ip: string

  constructor(ip: string) {
    this.ip = ip
  }
}

class WebResponse {
  readonly status = 200
  readonly headers = noHeaders
}

const noHeaders = { get: () => null, has: () => false, set() {}, forEach() {} }
const limited = limitFetch({ limiter, ip: (request) => Reflect.get(request, 'ip') })(
  () => new WebResponse() as never, // as above
)

const askOne = {
  requests: (ip: string) => request(ip),
  settled: (ip: string) => request(ip, settling),
  fetch: (ip: string) => limited(new WebRequest(ip) as never), // as above
  counter: (key: string) => limiter.check(key),
  three: (key: string) => limiter.check(key),
}[name]

const keys = Array.from({ length: 64 }, (_, i) => `192.0.2.${i}`)
const ask = () => keys.map((key) => askOne(key))
const collectYoung = () => globalThis.gc?.({ type: 'minor' })

collectYoung()
const burst = [...ask(), ...ask(), ...ask(), ...ask(), ...ask()]
collectYoung()
await Promise.all(burst)
// Until V8 has compiled what is asked often.
for (let i = 0; i < 500; i++) await Promise.all(ask())
globalThis.gc?.()
const before = process.memoryUsage().heapUsed
const turns = 500
for (let i = 0; i < turns; i++) {
  await Promise.all(ask())
  if (i % 50 === 0) collectYoung()
}
collectYoung()
console.log((process.memoryUsage().heapUsed - before) / (turns * keys.length))
client.disconnect()
