import type { RequestListener } from 'node:http'
import { rateLimit } from '@sluice/express'
import express from 'express'
import type { LoadTestEndpoint } from '../../endpoint/index.ts'
import { give } from './give.ts'
import { ticketsRoute } from './routes.ts'

export function expressTickets(endpoint: LoadTestEndpoint): RequestListener {
  const app = express().disable('x-powered-by')
  app.post(
    ticketsRoute,
    (req, res, next) => {
      const turnedAway = endpoint.enter(req, String(req.params.run))
      if (turnedAway === null) next()
      else give(res, turnedAway)
    },
    rateLimit(endpoint.limits),
    async (req, res) => give(res, await endpoint.sell(req)),
  )
  return app
}
