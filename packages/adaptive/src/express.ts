import { type AnyRouteMiddleware, asError, type PlainAnswer } from '@sluice/http/internal'
import type { NextFunction, Request, Response } from 'express'
import { Intake, type ShedOptions } from './intake.ts'

export type { ShedOptions } from './intake.ts'

/**
 * Load shedding for Express 4 and 5: before all that is work, so before body parsers and rate limits.
 *
 * @example app.use(shed({ priority: (req) => (req.path === '/report' ? 'sheddable' : 'default') }))
 */
export function shed(options: ShedOptions<Request> = {}): (...given: Parameters<AnyRouteMiddleware>) => void {
  const intake = new Intake(options)

  function shed(req: Request, res: Response, next: NextFunction): void {
    let answer: PlainAnswer | undefined
    try {
      answer = intake.enter(req, { headers: req.headers, response: res })
    } catch (thrown) {
      next(asError(thrown))
      return
    }
    if (answer === undefined) {
      next()
      return
    }
    for (const [name, value] of answer.headers) res.setHeader(name, value)
    res.status(answer.status).end(answer.body)
  }

  return shed as AnyRouteMiddleware // Express hands it nothing but requests and responses of its own
}
