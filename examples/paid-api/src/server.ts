// An API that is sold by the month: a quota by the calendar, on which searches and reports draw at their prices, which support can
// give back or set, and which `sluice change quota limit=2000` changes while it runs; a login that blocks who guesses; and reports,
// of which two are made at once while other callers wait for their turn.
import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  isOptionError,
  notApplicable,
  redisStore,
} from '@sluice/core'
import { rateLimit } from '@sluice/express'
import { operations } from '@sluice/operations'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'

const { PORT = '3000', REDIS_URL, SUPPORT_TOKEN = '' } = process.env
const store = REDIS_URL ? redisStore(REDIS_URL) : undefined

/** Names of customers by their keys. Yours are in a database. */
const customers = new Map([
  ['ada-1815', 'ada'],
  ['bob-1972', 'bob'],
])
const customerOf = (req: Request) => customers.get(req.get('x-api-key') ?? '')

/** What `sluice limits`, `change` and `restore` need: where the counts are in Redis, otherwise nothing. */
const ops = REDIS_URL ? operations({ redis: REDIS_URL, service: 'paid-api' }) : undefined
const plans = { quota: fixedWindow({ limit: 1000, every: 'month', timeZone: 'Europe/Vienna' }) }

const quota = createLimiter({
  name: 'quota',
  policy: (ops?.limits(plans).policies ?? plans).quota,
  prices: { search: 1, report: 20 },
  store,
  observers: ops && [ops],
})
const paid = (cost: 'search' | 'report') =>
  rateLimit({ limiter: quota, key: (req) => customerOf(req) ?? notApplicable, cost: () => cost })

/** Five wrong passwords in a minute block for a minute, then for two, four, …; after ten blocks comes a ban. */
const attempts = rateLimit({
  name: 'login',
  policy: fixedWindow({
    limit: 5,
    window: '1m',
    blockFor: { first: '1m', factor: 2, longest: '1d', banAfter: 10 },
  }),
  settle: (_req, { status }) => (status < 400 ? 0 : undefined),
  store,
})

/** Two at once, in whatever process; the others wait for up to ten seconds, first come, first served. */
const turn = rateLimit({
  name: 'reports',
  policy: concurrency({ limit: 2 }),
  key: () => 'all',
  maxWait: '10s',
  store,
})

const customersOnly: RequestHandler = (req, res, next) => {
  if (customerOf(req) === undefined)
    res.status(401).json({ error: 'x-api-key: expected the key of a customer' })
  else next()
}

const supportOnly: RequestHandler = (req, res, next) => {
  const [given, expected] = [
    Buffer.from(req.get('authorization') ?? ''),
    Buffer.from(`Bearer ${SUPPORT_TOKEN}`),
  ]
  const known = SUPPORT_TOKEN !== '' && given.length === expected.length && timingSafeEqual(given, expected)
  if (known) next()
  else res.status(401).json({ error: 'authorization: expected the token of support' })
}

const app = express()
app.use(express.json())

app.post('/login', attempts, (req, res) => {
  if (req.body?.password === 'open sesame') res.json({ token: 'a token of yours' })
  else res.status(401).json({ error: 'wrong password' })
})

app.get('/search', customersOnly, paid('search'), (_req, res) => {
  res.json({ found: [] })
})

app.post('/reports', customersOnly, paid('report'), turn, async (_req, res) => {
  await pause(100) // work
  res.json({ report: 'done' })
})

/** A customer was charged for what did not work: `{ "units": 20 }`. */
app.post('/support/:customer/given-back', supportOnly, async (req, res) => {
  await quota.reward(String(req.params.customer), req.body?.units)
  res.json({ used: await usedBy(String(req.params.customer)) })
})

/** A customer comes from another system, or its count is wrong: `{ "used": 250 }`. */
app.put('/support/:customer/used', supportOnly, async (req, res) => {
  await quota.set(String(req.params.customer), req.body?.used)
  res.json({ used: await usedBy(String(req.params.customer)) })
})

async function usedBy(customer: string): Promise<number> {
  const { limit, remaining } = await quota.peek(customer)
  return limit - remaining
}

/** What a caller of support's routes has got wrong. */
const wrongArguments: ErrorRequestHandler = (error, _req, res, next) => {
  if (isOptionError(error)) res.status(400).json({ error: error.message })
  else next(error)
}
app.use(wrongArguments)

// So that the first requests find Redis connected.
await quota.ready()
await ops?.ready()
const server = app
  .listen(Number(PORT))
  .once('listening', () => console.log(`Listening on http://localhost:${PORT}`))

/** Answers the requests under way, those in line for a report too, then lets go of Redis. */
async function stop(): Promise<void> {
  // A client that keeps a connection open gets one more answer on it, and no connection stays open for longer than half a minute.
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
  setTimeout(() => server.closeAllConnections(), 30_000).unref()
  server.close()
  await once(server, 'close')
  for (const limiter of [quota, attempts.limiter, turn.limiter]) await limiter.close?.()
  await ops?.close()
  await store?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
