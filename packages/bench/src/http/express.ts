import type { Server } from 'node:http'
import express, { type RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { type Place, wideLimit, windowMs } from '../asking/work.ts'
import { expressStoreAt } from '../others/express-rate-limit.ts'
import { flexible, flexibleFields, host, type Limiting, sluiceOf } from './limits.ts'

async function middlewareOf(limiting: Exclude<Limiting, 'bare'>, place: Place): Promise<RequestHandler> {
  switch (limiting) {
    case 'own':
      return rateLimit({
        windowMs,
        limit: wideLimit,
        standardHeaders: 'draft-8',
        legacyHeaders: false,
        store: expressStoreAt(place),
      })
    case 'rate-limiter-flexible': {
      const limiter = flexible(place)
      return (req, res, next) => {
        limiter
          .consume(req.ip ?? '')
          .then((state) => {
            for (const [name, value] of flexibleFields(state)) res.set(name, value)
            next()
          })
          .catch(() => res.status(429).send('Too Many Requests'))
      }
    }
    default: {
      const name = '@sluice/express'
      const { adapter, options } = await sluiceOf(limiting, {
        place,
        name,
        adapter: () => import('@sluice/express'),
      })
      return adapter.rateLimit(options)
    }
  }
}

export async function serveExpress(limiting: Limiting, place: Place): Promise<Server> {
  const app = express()
  app.set('trust proxy', 1) // behind one proxy
  if (limiting !== 'bare') app.use(await middlewareOf(limiting, place))
  app.get('/', (_req, res) => void res.send('ok'))
  return app.listen(0, host)
}
