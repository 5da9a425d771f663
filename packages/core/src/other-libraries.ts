/** What to write in place of an option, and the page below `docs` that says more. */
interface Counterpart {
  /** Follows the word "write". */
  readonly text: string
  readonly page: string
}

/** Names of options in place of which the same is written. */
type Rows = { readonly [names: string]: string }

/**
 * What to write in place of an option of express-rate-limit 8, express-slow-down 3, @fastify/rate-limit 11, koa-ratelimit 6,
 * rate-limiter-flexible 11, @nestjs/throttler 6, hono-rate-limiter, @upstash/ratelimit 2 or bottleneck 2, or of one of ours that belongs
 * elsewhere. The rows of pages below `strategies` are about a policy's numbers: each strategy has options of its own for these. The table is
 * made only for an error.
 */
export function counterpartOf(option: string): Counterpart | undefined {
  const rate = "policy: fixedWindow({ limit: 100, window: '1m' })"
  const settle = (when: string) => `settle: (req, { status }) => (status ${when} ? 0 : undefined)`
  const blocks = (how: string) =>
    `policy: fixedWindow({ limit: 5, window: '1m', blockFor: { first: '1m', ${how} } })`
  const skip = "skip: (req) => req.path === '/health'"
  const allowList = "allowList: ['10.0.0.0/8']"
  const headers = "headers: { x: 'epoch-seconds' }, "
  const pages: { readonly [page: string]: Rows } = {
    'strategies/fixedWindow.md': {
      'windowMs timeWindow ttl max limit points window': rate,
      duration: `${rate}, where a bare number is milliseconds`,
    },
    'strategies/gcra.md': { 'count period': "policy: gcra({ count: 100, period: '1m' })" },
    'strategies/README.md': {
      'burst capacity interval maxDebt limits every timeZone firstDayOfWeek start unit weight maxClients slot noteBytes':
        'it in the policy',
    },
    'nest.md#coming-from-nestjsthrottler': {
      'throttlers default short medium long': "policies: { short: fixedWindow({ limit: 3, window: '1s' }) }",
    },

    // Who is counted, and what.
    'keys.md': { 'keyGenerator keyBy id getTracker generateKey': 'key: (req) => req.user?.id' },
    'keys.md#address': { ipv6Subnet: 'ipv6Prefix: 56' },
    'keys.md#behind-a-proxy': {
      'trustProxy proxies':
        "it at the framework, as app.set('trust proxy', 1) in Express, or as proxies: 1 in @sluice/fetch",
    },
    'http.md#costs-plans-and-exceptions': {
      'skipIf ignoreUserAgents': skip,
      skip: `${skip}, at rateLimit()`,
      allowList: `${allowList}, at rateLimit()`,
      whitelist: `${allowList}, or skip for all but addresses`,
      blacklist: "denyList: ['192.0.2.66']",
      dynamicLimits: 'policy: (req) => plans[req.user?.plan]',
    },
    'http.md#fastify': {
      groupId: "name: 'group' at each route of the group",
      hook: 'nothing: only @sluice/fastify has hooks',
    },
    'http.md#the-true-cost': {
      skipFailedRequests: settle('>= 400'),
      skipSuccessfulRequests: settle('< 400'),
      requestWasSuccessful: settle('< 500'),
    },
    'http.md': {
      'key denyList settle releaseOnAbort sendTimeout maxWait slowDown retryJitter onRefused refuseBy ipv6Prefix':
        'it at rateLimit()',
      'cost note since': 'it at rateLimit() or check()',
    },

    // How many at once, and how slowly.
    'moving/bottleneck.md': {
      maxConcurrent: 'policy: concurrency({ limit: 5 })',
      minTime: "policy: uniform({ interval: '333ms' })",
      reservoir: "policy: gcra({ count: 100, period: '1m' })",
      highWater: 'maxSleepers: 100',
    },
    'moving/express-slow-down.md': {
      'delayAfter delayMs': 'slowDown: { delayAfter: 5, delayMs: 500 }',
    },
    'waiting.md#delayed-requests': {
      'execEvenly execEvenlyMinDelayMs': "maxWait: '5s', policy: gcra({ count: 10, period: '1s', burst: 0 })",
    },

    // Where counts are kept, and what happens while a store is away.
    'api.md#redisstore-redisstoreoptions': {
      'host port store driver db redis storeClient client storage':
        "store: redisStore('redis://localhost'), or redisStore(client)",
      'url username password tls cluster sentinels master token':
        'it in the first argument: redisStore({ url, password })',
      'timeout deadline processes': "redisStore(url, { deadline: '50ms', processes: 4 })",
      connectDeadline: "redisStore(url, { connectDeadline: '3s' })",
      useRedisPackage: 'nothing: redisStore(client) knows its client',
      useRedis3AndLowerPackage: 'redisStore(client), for the package redis from 5 on',
    },
    'api.md#memorystore-memorystoreoptions': {
      'cache maxKeys': 'store: memoryStore({ maxKeys: 5000 })',
      clock: 'store: memoryStore({ clock })',
    },
    'api.md#sluicepostgres': {
      tableName: "store: postgresStore(pool, { table: 'limits' })",
    },
    'api.md#sluicecore': {
      'nameSpace namespace keyPrefix prefix':
        "name: 'login' for a count of its own, or redisStore(client, { prefix: 'app:' }) for all keys",
      'name policy policies charge shadow onStoreFailure ahead tag prices maxSleepers observers lists':
        'it at createLimiter() or rateLimit()',
    },
    'reliability.md#refusals-that-are-repeated': {
      'inMemoryBlockOnConsumed inMemoryBlockDuration ephemeralCache refusalCache':
        "store: redisStore('redis://localhost', { refusalCache: '1s' })",
    },
    'reliability.md#which-failure-policy': {
      'passOnStoreError skipOnError failOpen': "onStoreFailure: 'allow'",
      rejectIfRedisNotReady: "onStoreFailure: 'deny'",
    },
    'reliability.md#what-happens-with-local': {
      insuranceLimiter: "onStoreFailure: 'local', the default, which counts in this process",
    },
    'http.md#shadow': { dryRun: 'shadow: true' },

    // What is done with a request too many.
    'http.md#refusals': {
      'message errorMessage onLimited errorResponseBuilder':
        "onRefused: (req, decision, refusal) => { refusal.body = 'Slow down.' }",
      'statusCode status': 'onRefused: (req, decision, refusal) => { refusal.status = 420 }',
      handler: "refuseBy: 'error' for an error handler of your own, or onRefused to change the answer",
      throw: "refuseBy: 'error'",
    },
    'blocking.md': {
      'blockDuration blockFor': "policy: fixedWindow({ limit: 5, window: '1m', blockFor: '10m' })",
    },
    'blocking.md#from-other-libraries': {
      ban: blocks('banAfter: 3'),
      continueExceeding: blocks('prolong: true'),
      exponentialBackoff: blocks('factor: 2'),
    },

    // What it reports.
    'http.md#fields': {
      'legacyHeaders addHeaders setHeaders addHeadersOnExceeding': `${headers}or headers: false`,
      headers: `${headers}at rateLimit()`,
      disableHeader: 'headers: false',
    },
    'http.md#versions-of-the-draft': {
      standardHeaders: 'headers: { x: false, draft: 6 }, or 7 or 8',
      enableDraftSpec: 'headers: { x: false, draft: 6 }',
    },
    'http.md#names-of-policies': { identifier: "name: 'tickets'" },
    'api.md#handle': {
      requestPropertyName:
        'nothing: the decision is req.rateLimit, and decisionFor(req) that of one middleware',
    },
    'api.md#observer-observed-observedpolicy-act-actreason-logger': {
      'analytics onLimitReached onExceeding onExceeded onBanReach':
        'observers: [{ decided: (decision) => {} }]',
      logger: 'logger: console, at rateLimit() or createLimiter()',
    },
    'errors.md': { validate: 'nothing: logger gets a code for each likely mistake' },
  }
  for (const [page, rows] of Object.entries(pages)) {
    for (const [names, text] of Object.entries(rows))
      if (names.split(' ').includes(option)) return { page, text }
  }
  return undefined
}
