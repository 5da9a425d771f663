import { createServer, type Server } from 'node:http'
import type { LoadTestEndpoint } from '@sluice/cli/endpoint'
import { rateLimit } from '@sluice/express'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { type Answer, answerOf } from './answer.ts'
import { takeOrder } from './order.ts'
import { safeHeaders } from './pages.ts'
import { problemAnswer } from './problem.ts'
import type { Zoo } from './zoo.ts'

export function expressServer(zoo: Zoo): Server {
  const app = express().disable('x-powered-by').enable('case sensitive routing').enable('strict routing')
  app.use((_req, res, next) => {
    res.set(safeHeaders)
    next()
  })
  app.get('/attractions', async (req, res) => give(res, await zoo.look(req.url)))
  for (const booth of zoo.booths) {
    app.post(booth.path, order, rateLimit(booth.limits), (req, res) => give(res, booth.sell(req)))
  }
  for (const booth of zoo.askingBooths) {
    app.post(booth.path, order, rateLimit(booth.door), async (req, res) =>
      give(res, await booth.sell(req, req)),
    )
  }
  const { queueBooth } = zoo
  app.post(queueBooth.path, order, async (req, res) => give(res, await queueBooth.sell(req)))
  app.get(`${queueBooth.path}/:ticket`, async (req, res) =>
    give(res, await queueBooth.ticket(req.params.ticket)),
  )
  app.get('/metrics', async (_req, res) => give(res, await zoo.metrics.read()))
  app.use('/dashboard', (req, res) => zoo.dashboard(req, res))
  if (zoo.crowd !== undefined) serveCrowd(app, zoo.crowd)
  app.use((req, res) => give(res, zoo.elsewhere(req.method, req.url)))
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    give(res, problemAnswer(error))
  })
  return createServer(app)
}

/** The routes of the load-test endpoint. */
function serveCrowd(app: Express, crowd: LoadTestEndpoint): void {
  function enter(req: Request<{ run: string }>, res: Response, next: NextFunction): void {
    const turnedAway = crowd.enter(req, req.params.run)
    if (turnedAway === null) next()
    else give(res, answerOf(turnedAway))
  }
  app.all('/crowd', async (req, res) => give(res, answerOf(await crowd.answer(req))))
  app.all('/crowd/:run', async (req, res) => give(res, answerOf(await crowd.answer(req, req.params.run))))
  app.post('/crowd/:run/tickets', enter, rateLimit(crowd.limits), async (req, res) =>
    give(res, answerOf(await crowd.sell(req))),
  )
}

async function order(req: Request, _res: Response, next: NextFunction): Promise<void> {
  await takeOrder(req, req)
  next()
}

function give(res: Response, { status, headers, body }: Answer): void {
  // Not `set`, which adds a charset to JSON.
  res
    .status(status)
    .setHeaders(new Map(Object.entries(headers)))
    .end(body)
}
