// The native adapter alone: what a request carries is known.
import type { Decision } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import express, { type Request } from 'express'

const app = express().use(rateLimit({ policy: undefined as never }))
app.get('/', (req, res) => {
  const decision: Decision | undefined = req.rateLimit
  // @ts-expect-error what express-rate-limit says
  res.send([decision?.remaining, req.rateLimit?.used])
})
export const left = (req: Request): number | undefined => req.rateLimit?.remaining
