// An application as users of express-rate-limit write it: a test changes its import, and nothing else.
import express, { type Express } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'

const plans: Readonly<Record<string, number>> = { free: 2, paid: 4 }

/** A shop: all of it, its login and its API are limited apart. */
export function shop(alarms: string[]): Express {
  const app = express()
  app.set('trust proxy', 1)
  app.use(express.json())

  const everything = rateLimit({
    windowMs: 15 * 60 * 1000,
    limit: 20,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (request) => request.path === '/health',
    identifier: 'shop',
  })
  app.use(everything)

  const login = rateLimit({
    windowMs: 60 * 60 * 1000,
    max: 3,
    skipSuccessfulRequests: true,
    keyGenerator: (request) => `${request.body.user}:${ipKeyGenerator(request.ip ?? '')}`,
    requestPropertyName: 'logins',
    handler(request, response, _next, options) {
      const { used, limit } = Reflect.get(request, 'logins')
      if (used === limit + 1) alarms.push(`too many failures of ${request.body.user}`)
      response.status(options.statusCode).json({ error: options.message })
    },
  })
  app.post('/login', login, (request, response) => {
    response.sendStatus(request.body.password === 'secret' ? 204 : 401)
  })
  app.post('/captcha', (request, response) => {
    login.resetKey(`${request.body.user}:${ipKeyGenerator(request.ip ?? '')}`)
    response.sendStatus(204)
  })

  const api = rateLimit({
    windowMs: 60 * 1000,
    limit: (request) => plans[request.get('x-plan') ?? 'free'] ?? 2,
    keyGenerator: (request) => request.get('x-api-key') ?? ipKeyGenerator(request.ip ?? ''),
    standardHeaders: 'draft-6',
    message: { error: 'slow down' },
    statusCode: 420,
  })
  app.get('/api', api, (request, response) => {
    response.json(request.rateLimit)
  })

  app.get('/health', (_request, response) => void response.send('ok'))
  return app
}
