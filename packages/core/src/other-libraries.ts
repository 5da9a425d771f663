/** Our equivalent of another library's option. */
interface Counterpart {
  /** What to write; undefined where it is left out, or is no option. */
  readonly code?: string
  /** Words behind the code, or in its place. */
  readonly note?: string
  /** Where more is said, below `docs`. */
  readonly page: string
  /** The option says how much in what time: each strategy has options of its own for that. */
  readonly numbers?: true
}

const refusals = 'http.md#refusals'
const exceptions = 'http.md#costs-plans-and-exceptions'
const trueCost = 'http.md#the-true-cost'
const versions = 'http.md#versions-of-the-draft'
const outages = 'reliability.md#which-failure-policy'
const redisPage =
  'api.md#redisstore-redisclient-redisoptions-restoptions-redisstoreoptions-ioredislike-noderedislike-glidelike'
const limiterPage = 'api.md#createlimiter-limiter-limitersettings-inspection-penalty'

const rate = {
  code: "policy: fixedWindow({ limit: 100, window: '1m' })",
  page: 'strategies/fixedWindow.md',
  numbers: true as const,
}
const gcraPolicy = "policy: gcra({ count: 100, period: '1m' })"
const ofGcra = {
  code: gcraPolicy,
  page: 'strategies/gcra.md',
  numbers: true as const,
}
const key = { code: 'key: (req) => req.user?.id', page: 'keys.md' }
const skip = { code: "skip: (req) => req.path === '/health'", page: exceptions }
const redis = {
  code: "store: redisStore('redis://localhost')",
  note: ', or redisStore(client)',
  page: redisPage,
}
const proxy = {
  note: "write it at the framework, as app.set('trust proxy', 1) in Express",
  page: 'keys.md#behind-a-proxy',
}
const delay = {
  code: 'slowDown: { delayAfter: 5, delayMs: 500 }',
  page: 'moving/express-slow-down.md',
}
const bottleneck = 'moving/bottleneck.md'
const upstash = 'moving/upstash-ratelimit.md'
const flight = { code: 'policy: concurrency({ limit: 5 })', page: bottleneck }
const reservoir = { code: gcraPolicy, page: bottleneck }
const passing = { code: "onStoreFailure: 'allow'", page: outages }
const name = {
  code: "name: 'login'",
  note: " for a count of its own, or redisStore(client, { prefix: 'app:' }) for all keys",
  page: limiterPage,
}
const refusalCache = {
  code: "store: redisStore('redis://localhost', { refusalCache: '1s' })",
  page: 'reliability.md#refusals-that-are-repeated',
}
const body = {
  code: "onRefused: (req, decision, refusal) => { refusal.body = 'Slow down.' }",
  page: refusals,
}
const status = { code: 'onRefused: (req, decision, refusal) => { refusal.status = 420 }', page: refusals }
const paced = {
  code: "maxWait: '5s', policy: gcra({ count: 10, period: '1s', burst: 0 })",
  page: 'waiting.md#delayed-requests',
}
function blocks(option: string): Counterpart {
  return {
    code: `policy: fixedWindow({ limit: 5, window: '1m', blockFor: { first: '1m', ${option} } })`,
    page: 'blocking.md#from-other-libraries',
  }
}
const fields = {
  code: "headers: { x: 'epoch-seconds' }",
  note: ', or headers: false',
  page: 'http.md#fields',
}
const observer = {
  code: 'observers: [{ decided: (decision) => {} }]',
  page: 'api.md#observer-observed-observedpolicy-act-actreason-logger',
}
const atMiddleware = ', at rateLimit()'

/**
 * Our equivalent of an option, by its name in express-rate-limit 8, express-slow-down 3, @fastify/rate-limit 11, koa-ratelimit 6,
 * rate-limiter-flexible 11, @nestjs/throttler 6, hono-rate-limiter, @upstash/ratelimit 2 or bottleneck 2, or of one of ours that belongs
 * elsewhere. The table is made only for an error.
 */
export function counterpartOf(option: string): Counterpart | undefined {
  return new Map<string, Counterpart>(
    Object.entries({
      // How much in what time.
      windowMs: rate,
      timeWindow: rate,
      ttl: rate,
      duration: { ...rate, note: ', where a bare number is milliseconds' },
      max: rate,
      limit: rate,
      points: rate,
      // Options of a strategy that are written beside it.
      window: rate,
      count: ofGcra,
      period: ofGcra,
      throttlers: {
        note: "write policies: { short: fixedWindow({ limit: 3, window: '1s' }) }",
        page: 'nest.md#coming-from-nestjsthrottler',
      },

      // Who is counted, and what.
      keyGenerator: key,
      id: key,
      getTracker: key,
      generateKey: key,
      ipv6Subnet: { code: 'ipv6Prefix: 56', page: 'keys.md#address' },
      skip: { ...skip, note: atMiddleware },
      skipIf: skip,
      ignoreUserAgents: skip,
      allowList: { code: "allowList: ['10.0.0.0/8']", note: atMiddleware, page: exceptions },
      whitelist: {
        code: "allowList: ['10.0.0.0/8']",
        note: ', or skip for all but addresses',
        page: exceptions,
      },
      blacklist: { code: "denyList: ['192.0.2.66']", page: exceptions },
      groupId: { code: "name: 'group'", note: ' at each route of the group', page: 'http.md#fastify' },
      dynamicLimits: { code: 'policy: (req) => plans[req.user?.plan]', page: exceptions },
      skipFailedRequests: {
        code: 'settle: (req, { status }) => (status >= 400 ? 0 : undefined)',
        page: trueCost,
      },
      skipSuccessfulRequests: {
        code: 'settle: (req, { status }) => (status < 400 ? 0 : undefined)',
        page: trueCost,
      },
      requestWasSuccessful: {
        code: 'settle: (req, { status }) => (status < 500 ? 0 : undefined)',
        page: trueCost,
      },

      trustProxy: proxy,

      // How many at once, and how slowly.
      maxConcurrent: flight,
      minTime: { code: "policy: uniform({ interval: '333ms' })", page: bottleneck },
      reservoir,
      highWater: { code: 'maxSleepers: 100', page: bottleneck },
      delayAfter: delay,
      delayMs: delay,

      // Where counts are kept.
      host: redis,
      port: redis,
      store: redis,
      driver: redis,
      db: redis,
      redis,
      storeClient: redis,
      client: redis,
      storage: redis,
      useRedisPackage: { note: 'leave it out, as redisStore(client) knows its client', page: redisPage },
      useRedis3AndLowerPackage: {
        note: 'redisStore(client) takes the package redis from 5 on',
        page: redisPage,
      },
      cache: {
        code: 'store: memoryStore({ maxKeys: 5000 })',
        page: 'api.md#memorystore-memorystoreoptions',
      },
      tableName: {
        note: "write store: postgresStore(pool, { table: 'limits' })",
        page: 'api.md#postgresstore-postgresstoreoptions-postgrespool-postgresquery',
      },
      nameSpace: name,
      namespace: name,
      keyPrefix: name,
      prefix: name,
      ephemeralCache: { ...refusalCache, page: upstash },
      inMemoryBlockOnConsumed: refusalCache,
      inMemoryBlockDuration: refusalCache,

      // What happens while a store is away.
      passOnStoreError: passing,
      skipOnError: passing,
      failOpen: passing,
      timeout: { note: "write redisStore(url, { deadline: '50ms' })", page: upstash },
      rejectIfRedisNotReady: { code: "onStoreFailure: 'deny'", page: outages },
      insuranceLimiter: {
        code: "onStoreFailure: 'local'",
        note: ', the default, which counts in this process',
        page: 'reliability.md#what-happens-with-local',
      },

      dryRun: { code: 'shadow: true', page: 'http.md#shadow' },

      // What is done with a request too many.
      message: body,
      errorMessage: body,
      onLimited: body,
      errorResponseBuilder: body,
      statusCode: status,
      status,
      handler: {
        code: "refuseBy: 'error'",
        note: ' for an error handler of your own, or onRefused to change the answer',
        page: refusals,
      },
      throw: { code: "refuseBy: 'error'", page: refusals },
      execEvenly: paced,
      execEvenlyMinDelayMs: paced,
      ban: blocks('banAfter: 3'),
      blockDuration: {
        code: "policy: fixedWindow({ limit: 5, window: '1m', blockFor: '10m' })",
        page: 'blocking.md',
      },
      continueExceeding: blocks('prolong: true'),
      exponentialBackoff: blocks('factor: 2'),

      // What it reports.
      headers: { ...fields, note: atMiddleware },
      legacyHeaders: fields,
      addHeaders: fields,
      setHeaders: fields,
      addHeadersOnExceeding: fields,
      disableHeader: { code: 'headers: false', page: fields.page },
      standardHeaders: { code: 'headers: { x: false, draft: 6 }', note: ', or 7 or 8', page: versions },
      enableDraftSpec: { code: 'headers: { x: false, draft: 6 }', page: versions },
      identifier: { code: "name: 'tickets'", page: 'http.md#names-of-policies' },
      requestPropertyName: {
        note: 'the decision is req.rateLimit, and decisionFor(req) that of one middleware',
        page: 'api.md#handle',
      },
      analytics: observer,
      onLimitReached: observer,
      onExceeding: observer,
      onExceeded: observer,
      onBanReach: observer,
      logger: { code: 'logger: console', note: ', at rateLimit() or createLimiter()', page: observer.page },
      validate: { note: 'leave it out: logger gets a code for each likely mistake', page: 'errors.md' },
      hook: { note: 'leave it out: only @sluice/fastify has hooks', page: 'http.md#fastify' },
    }),
  ).get(option)
}
