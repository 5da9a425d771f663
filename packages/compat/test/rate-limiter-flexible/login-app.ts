import express, { type Express } from 'express'
import type { Redis } from 'ioredis'
// Of 'rate-limiter-flexible' before: all else is as it was.
import {
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from '../../src/rate-limiter-flexible/index.ts'

const passwords = new Map([['alice', 'correct horse']])

/** A login that stops those who guess: by their address, slowly, and by name and address, at once. */
export function loginApp(redis: Redis, prefix: string): Express {
  const insurance = { points: 3, duration: 60 }
  const slowByAddress = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}_fail_ip_per_day`,
    points: 8,
    duration: 60 * 60 * 24,
    blockDuration: 60 * 60 * 24,
    inMemoryBlockOnConsumed: 8,
    insuranceLimiter: new RateLimiterMemory(insurance),
  })
  const inARow = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}_fail_in_a_row`,
    points: 3,
    duration: 60 * 60 * 24 * 90,
    blockDuration: 60 * 60,
    insuranceLimiter: new RateLimiterMemory(insurance),
  })

  const app = express()
  app.set('trust proxy', 1)
  app.use(express.json())
  app.post('/login', async (req, res) => {
    const { name, password } = req.body as { name: string; password: string } // a login form
    const address = req.ip ?? ''
    const nameAndAddress = `${name}_${address}`
    const [byAddress, byName] = await Promise.all([slowByAddress.get(address), inARow.get(nameAndAddress)])
    const waitMs = Math.max(blockedMs(byAddress, slowByAddress.points), blockedMs(byName, inARow.points))
    if (waitMs > 0) {
      res
        .set('Retry-After', String(Math.ceil(waitMs / 1000)))
        .status(429)
        .send('Too Many Requests')
      return
    }
    if (passwords.get(name) === password) {
      if (byName !== null && byName.consumedPoints > 0) await inARow.delete(nameAndAddress)
      res.send('welcome')
      return
    }
    try {
      await slowByAddress.consume(address)
      if (passwords.has(name)) await inARow.consume(nameAndAddress)
      res.status(400).send('name or password is wrong')
    } catch (rejected) {
      if (rejected instanceof Error) throw rejected
      const { msBeforeNext } = rejected as RateLimiterRes
      res
        .set('Retry-After', String(Math.ceil(msBeforeNext / 1000)))
        .status(429)
        .send('Too Many Requests')
    }
  })
  return app
}

function blockedMs(res: RateLimiterRes | null, points: number): number {
  return res !== null && res.consumedPoints > points ? res.msBeforeNext : 0
}
