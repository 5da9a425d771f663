// What users of express-rate-limit declare themselves, beside the face and the native adapter.
import { rateLimit as face, type RateLimitInfo } from '@sluice/compat/express-rate-limit'
import { rateLimit } from '@sluice/express'
import express, { type Request } from 'express'

declare global {
  namespace Express {
    interface Request {
      rateLimit?: RateLimitInfo
    }
  }
}

const app = express().use(rateLimit({ policy: undefined as never }), face({ limit: 5 }))
app.get('/', (req, res) => void res.send([req.rateLimit?.used, req.rateLimit?.resetTime]))
export const used = (req: Request): number | undefined => req.rateLimit?.used
// @ts-expect-error what Sluice says
export const allowed = (req: Request) => req.rateLimit?.allowed
