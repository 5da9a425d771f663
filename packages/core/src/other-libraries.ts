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

const outages = 'reliability.md#which-failure-policy'
const exceptions = 'http.md#costs-plans-and-exceptions'
const cost = 'http.md#the-true-cost'
const refusals = 'http.md#refusals'
const httpFields = 'http.md#fields'
const blocking = 'blocking.md#from-other-libraries'
const bottleneck = 'moving/bottleneck.md'
const redisPage =
  'api.md#redisstore-redisclient-redisoptions-restoptions-redisstoreoptions-ioredislike-noderedislike-glidelike'
const observerPage = 'api.md#observer-observed-observedpolicy-act-actreason-logger'
const atMiddleware = ', at rateLimit()'

const rate = {
  code: "policy: fixedWindow({ limit: 100, window: '1m' })",
  page: 'strategies/fixedWindow.md',
  numbers: true as const,
}
const skip = { code: "skip: (req) => req.path === '/health'", page: exceptions }
const refusalCache = {
  code: "store: redisStore('redis://localhost', { refusalCache: '1s' })",
  page: 'reliability.md#refusals-that-are-repeated',
}
const fields = { code: "headers: { x: 'epoch-seconds' }", note: ', or headers: false', page: httpFields }

/**
 * Our equivalent of an option, by its name in express-rate-limit 8, express-slow-down 3, @fastify/rate-limit 11, koa-ratelimit 6,
 * rate-limiter-flexible 11, @nestjs/throttler 6, hono-rate-limiter, @upstash/ratelimit 2 or bottleneck 2, or of one of ours that belongs
 * elsewhere. The table, in which names with one answer share a row, is made only for an error.
 */
export function counterpartOf(option: string): Counterpart | undefined {
  const all: { readonly [names: string]: Counterpart } = {
    // How much in what time.
    'windowMs timeWindow ttl max limit points window': rate,
    duration: { ...rate, note: ', where a bare number is milliseconds' },
    // Options of a strategy that are written beside it.
    'count period': {
      code: "policy: gcra({ count: 100, period: '1m' })",
      page: 'strategies/gcra.md',
      numbers: true,
    },
    throttlers: {
      note: "write policies: { short: fixedWindow({ limit: 3, window: '1s' }) }",
      page: 'nest.md#coming-from-nestjsthrottler',
    },

    // Who is counted, and what.
    'keyGenerator id getTracker generateKey': { code: 'key: (req) => req.user?.id', page: 'keys.md' },
    ipv6Subnet: { code: 'ipv6Prefix: 56', page: 'keys.md#address' },
    'skipIf ignoreUserAgents': skip,
    skip: { ...skip, note: atMiddleware },
    allowList: { code: "allowList: ['10.0.0.0/8']", note: atMiddleware, page: exceptions },
    whitelist: {
      code: "allowList: ['10.0.0.0/8']",
      note: ', or skip for all but addresses',
      page: exceptions,
    },
    blacklist: { code: "denyList: ['192.0.2.66']", page: exceptions },
    groupId: { code: "name: 'group'", note: ' at each route of the group', page: 'http.md#fastify' },
    dynamicLimits: { code: 'policy: (req) => plans[req.user?.plan]', page: exceptions },
    skipFailedRequests: { code: 'settle: (req, { status }) => (status >= 400 ? 0 : undefined)', page: cost },
    skipSuccessfulRequests: {
      code: 'settle: (req, { status }) => (status < 400 ? 0 : undefined)',
      page: cost,
    },
    requestWasSuccessful: { code: 'settle: (req, { status }) => (status < 500 ? 0 : undefined)', page: cost },
    trustProxy: {
      note: "write it at the framework, as app.set('trust proxy', 1) in Express",
      page: 'keys.md#behind-a-proxy',
    },

    // How many at once, and how slowly.
    maxConcurrent: { code: 'policy: concurrency({ limit: 5 })', page: bottleneck },
    minTime: { code: "policy: uniform({ interval: '333ms' })", page: bottleneck },
    reservoir: { code: "policy: gcra({ count: 100, period: '1m' })", page: bottleneck },
    highWater: { code: 'maxSleepers: 100', page: bottleneck },
    'delayAfter delayMs': {
      code: 'slowDown: { delayAfter: 5, delayMs: 500 }',
      page: 'moving/express-slow-down.md',
    },

    // Where counts are kept.
    'host port store driver db redis storeClient client storage': {
      code: "store: redisStore('redis://localhost')",
      note: ', or redisStore(client)',
      page: redisPage,
    },
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
    'nameSpace namespace keyPrefix prefix': {
      code: "name: 'login'",
      note: " for a count of its own, or redisStore(client, { prefix: 'app:' }) for all keys",
      page: 'api.md#createlimiter-limiter-limitersettings-inspection-penalty',
    },
    'inMemoryBlockOnConsumed inMemoryBlockDuration': refusalCache,
    ephemeralCache: { ...refusalCache, page: 'moving/upstash-ratelimit.md' },

    // What happens while a store is away.
    'passOnStoreError skipOnError failOpen': { code: "onStoreFailure: 'allow'", page: outages },
    'timeout deadline processes': {
      note: "write redisStore(url, { deadline: '50ms', processes: 4 })",
      page: redisPage,
    },
    rejectIfRedisNotReady: { code: "onStoreFailure: 'deny'", page: outages },
    insuranceLimiter: {
      code: "onStoreFailure: 'local'",
      note: ', the default, which counts in this process',
      page: 'reliability.md#what-happens-with-local',
    },
    dryRun: { code: 'shadow: true', page: 'http.md#shadow' },

    // What is done with a request too many.
    'message errorMessage onLimited errorResponseBuilder': {
      code: "onRefused: (req, decision, refusal) => { refusal.body = 'Slow down.' }",
      page: refusals,
    },
    'statusCode status': {
      code: 'onRefused: (req, decision, refusal) => { refusal.status = 420 }',
      page: refusals,
    },
    handler: {
      code: "refuseBy: 'error'",
      note: ' for an error handler of your own, or onRefused to change the answer',
      page: refusals,
    },
    throw: { code: "refuseBy: 'error'", page: refusals },
    'execEvenly execEvenlyMinDelayMs': {
      code: "maxWait: '5s', policy: gcra({ count: 10, period: '1s', burst: 0 })",
      page: 'waiting.md#delayed-requests',
    },
    blockDuration: {
      code: "policy: fixedWindow({ limit: 5, window: '1m', blockFor: '10m' })",
      page: 'blocking.md',
    },
    ban: { code: blocksWith('banAfter: 3'), page: blocking },
    continueExceeding: { code: blocksWith('prolong: true'), page: blocking },
    exponentialBackoff: { code: blocksWith('factor: 2'), page: blocking },

    // What it reports.
    'legacyHeaders addHeaders setHeaders addHeadersOnExceeding': fields,
    headers: { ...fields, note: atMiddleware },
    disableHeader: { code: 'headers: false', page: httpFields },
    standardHeaders: {
      code: 'headers: { x: false, draft: 6 }',
      note: ', or 7 or 8',
      page: 'http.md#versions-of-the-draft',
    },
    enableDraftSpec: { code: 'headers: { x: false, draft: 6 }', page: 'http.md#versions-of-the-draft' },
    identifier: { code: "name: 'tickets'", page: 'http.md#names-of-policies' },
    requestPropertyName: {
      note: 'the decision is req.rateLimit, and decisionFor(req) that of one middleware',
      page: 'api.md#handle',
    },
    'analytics onLimitReached onExceeding onExceeded onBanReach': {
      code: 'observers: [{ decided: (decision) => {} }]',
      page: observerPage,
    },
    logger: { code: 'logger: console', note: ', at rateLimit() or createLimiter()', page: observerPage },
    validate: { note: 'leave it out: logger gets a code for each likely mistake', page: 'errors.md' },
    hook: { note: 'leave it out: only @sluice/fastify has hooks', page: 'http.md#fastify' },
  }
  return Object.entries(all).find(([names]) => names.split(' ').includes(option))?.[1]
}

function blocksWith(option: string): string {
  return `policy: fixedWindow({ limit: 5, window: '1m', blockFor: { first: '1m', ${option} } })`
}
