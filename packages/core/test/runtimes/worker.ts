import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  guardedStore,
  memoryStore,
  type Policy,
  redisStore,
  slidingWindowLog,
} from '@sluice/core'

/** What workerd gives a worker. */
interface Env {
  readonly REST_URL: string
  readonly REST_TOKEN: string
}

const silent = { warn() {}, error() {} }

// Made while the module loads, where a worker may neither ask anybody, nor set a timer, nor make anything random.
const inMemory = createLimiter({
  policies: {
    steady: gcra({ count: 3, period: '1h' }),
    daily: fixedWindow({ limit: 5, every: 'day', timeZone: 'Europe/Vienna' }),
    log: slidingWindowLog({ limit: 5, window: '1h' }),
  },
})
const patient = createLimiter({ policy: gcra({ count: 1, period: '50ms', burst: 0 }) })
const guarded = createLimiter({
  store: guardedStore(memoryStore()),
  policy: fixedWindow({ limit: 5, window: '1h' }),
})
const busy = createLimiter({ policy: concurrency({ limit: 1, lease: '1s' }) })

/** A limiter over REST, made at the first request. What is to be exact waits for Redis on a busy machine, too. */
function makeOverRest<Each extends Policy>(name: string, policy: Each, { REST_URL, REST_TOKEN }: Env) {
  const waits = name === 'exact' || name === 'places'
  const store = redisStore(
    { url: REST_URL, token: REST_TOKEN },
    waits ? { deadline: '10s', connectDeadline: '10s' } : {},
  )
  return createLimiter({ name, store, policy, logger: silent })
}

const counters = new Map<string, ReturnType<typeof makeCounter>>()
let places: ReturnType<typeof makePlaces> | undefined

function makeCounter(name: string, env: Env) {
  return makeOverRest(name, fixedWindow({ limit: 5, window: '1h' }), env)
}

function counterNamed(name: string, env: Env): ReturnType<typeof makeCounter> {
  const limiter = counters.get(name) ?? makeCounter(name, env)
  counters.set(name, limiter)
  return limiter
}

function makePlaces(env: Env) {
  return makeOverRest('places', concurrency({ limit: 1, lease: '1s' }), env)
}

/** Holds a place for a while. */
async function hold(limiter: ReturnType<typeof makePlaces>, key: string): Promise<unknown> {
  await limiter.run(key, () => new Promise((resolve) => setTimeout(resolve, 20)), { maxWait: '10s' })
  return { held: true }
}

async function answer(url: URL, env: Env): Promise<unknown> {
  const key = url.searchParams.get('key') ?? ''
  const name = url.searchParams.get('limiter') ?? ''
  switch (url.pathname) {
    case '/memory': {
      const { allowed, source, limit, remaining } = await inMemory.check(key)
      return { allowed, source, limit, remaining }
    }
    case '/guarded':
      return { allowed: (await guarded.check(key)).allowed }
    case '/wait':
      return { allowed: (await patient.wait(key)).allowed }
    case '/hold':
      if (name === '') return hold(busy, key)
      places ??= makePlaces(env)
      return hold(places, key)
    case '/rest': {
      const limiter = counterNamed(name, env)
      const { allowed, source } = await limiter.check(key)
      return { allowed, source, breaker: limiter.health().breaker }
    }
    default:
      return {}
  }
}

const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return Response.json(await answer(new URL(request.url), env))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}

// biome-ignore lint/style/noDefaultExport: a worker is the default export of its module
export default worker
