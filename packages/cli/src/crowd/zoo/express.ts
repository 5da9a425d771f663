import type { RequestListener } from 'node:http'
import type { Stand } from '@sluice/crowd'
import { rateLimit } from '@sluice/express'
import express from 'express'
import { give } from './give.ts'
import { ticketsRoute } from './routes.ts'

export function expressTickets(stand: Stand): RequestListener {
  const app = express().disable('x-powered-by')
  app.post(
    ticketsRoute,
    (req, res, next) => {
      const turnedAway = stand.enter(req, String(req.params.run))
      if (turnedAway === null) next()
      else give(res, turnedAway)
    },
    rateLimit(stand.limits),
    async (req, res) => give(res, await stand.sell(req)),
  )
  return app
}
