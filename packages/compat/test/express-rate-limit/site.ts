import type { Express, NextFunction, Request, RequestHandler, Response } from 'express'
import express from 'express'
import type { Logger, RateLimitRequestHandler } from '../../src/express-rate-limit/index.ts'
import { type Served, serve } from '../serve.ts'

/** What a limiter has logged, by code where there is one. */
export interface Log extends Logger {
  readonly lines: string[]
}

export function log(): Log {
  const lines: string[] = []
  const keep = (error: unknown, message?: string) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    lines.push(message === undefined ? code : `${message} ${code}`)
  }
  return { lines, error: keep, warn: keep }
}

export interface Site extends Served {
  readonly app: Express
  /** What the route has seen on its requests. */
  readonly seen: unknown[]
  /** Messages of errors that have reached the application's error handler. */
  readonly errors: string[]
}

/** A route behind limiters; `/fail` answers 400 behind them. */
export async function siteWith(...limiters: RequestHandler[]): Promise<Site> {
  const app = express()
  const seen: unknown[] = []
  const errors: string[] = []
  app.use((request, _response, next) => {
    request.on('close', () => seen.push(Reflect.get(request, 'rateLimit')))
    next()
  })
  app.use(limiters)
  app.get('/', (_request, response) => void response.send('hello'))
  app.get('/fail', (_request, response) => void response.sendStatus(400))
  app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
    errors.push(error.message)
    response.status(500).send(error.message)
  })
  return { ...(await serve(app)), app, seen, errors }
}

/** The statuses of requests one after the other. */
export async function statuses(site: Served, times: number, path = '/'): Promise<number[]> {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await site.get(path)).status)
  return all
}

/** What a request gives back may be under way when its answer has come. */
export async function untilUsed(
  { getKey }: Pick<RateLimitRequestHandler, 'getKey'>,
  hits: number,
): Promise<void> {
  while (((await getKey('127.0.0.1'))?.totalHits ?? 0) !== hits)
    await new Promise((resolve) => setTimeout(resolve, 2))
}
