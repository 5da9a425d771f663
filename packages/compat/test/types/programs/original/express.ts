// The same with express-rate-limit itself, and a member that is always there.
import { rateLimit } from '@sluice/express'
import express, { type Request } from 'express'
import { rateLimit as original, type RateLimitInfo } from 'express-rate-limit'

declare global {
  namespace Express {
    interface Request {
      rateLimit: RateLimitInfo
    }
  }
}

const app = express().use(rateLimit({ policy: undefined as never }), original({ limit: 5 }))
app.get('/', (req, res) => void res.send([req.rateLimit.used]))
export const used = (req: Request): number => req.rateLimit.used
