import type { Server } from 'node:http'
import type { LoadTestEndpoint } from '@sluice/cli/endpoint'
import { rateLimit } from '@sluice/fastify'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Answer, answerOf } from './answer.ts'
import { takeOrder } from './order.ts'
import { safeHeaders } from './pages.ts'
import { nothingHere, problemAnswer } from './problem.ts'
import type { Zoo } from './zoo.ts'

export async function fastifyServer(zoo: Zoo): Promise<Server> {
  const app = Fastify({
    // A path that cannot be decoded reaches no hook and no handler.
    frameworkErrors: (_error, _request, reply) =>
      give(reply.headers(safeHeaders), problemAnswer(nothingHere())),
  })
  app.removeAllContentTypeParsers()
  // The order is read by takeOrder, whatever its content type.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(safeHeaders)
  })
  app.setErrorHandler((error, _request, reply) => give(reply, problemAnswer(error)))
  app.setNotFoundHandler((request, reply) => give(reply, zoo.elsewhere(request.method, request.url)))
  app.get('/attractions', async (request, reply) => give(reply, await zoo.look(request.url)))
  for (const booth of zoo.booths) {
    // A separate plugin scope per attraction: its limit applies to the routes in it.
    await app.register(async (scope) => {
      await scope.register(rateLimit, { ...booth.limits, hook: 'preHandler' })
      scope.post(booth.path, { preValidation: order }, (request, reply) => give(reply, booth.sell(request)))
    })
  }
  for (const booth of zoo.askingBooths) {
    await app.register(async (scope) => {
      await scope.register(rateLimit, { ...booth.door, hook: 'preHandler' })
      scope.post(booth.path, { preValidation: order }, async (request, reply) =>
        give(reply, await booth.sell(request, request.raw)),
      )
    })
  }
  const { queueBooth } = zoo
  app.post(queueBooth.path, { preValidation: order }, async (request, reply) =>
    give(reply, await queueBooth.sell(request)),
  )
  app.get<{ Params: { ticket: string } }>(`${queueBooth.path}/:ticket`, async (request, reply) =>
    give(reply, await queueBooth.ticket(request.params.ticket)),
  )
  app.get('/metrics', async (_request, reply) => give(reply, await zoo.metrics.read()))
  for (const path of ['/dashboard', '/dashboard/*']) {
    app.all(path, ({ raw }, reply) => zoo.dashboard(raw, reply.hijack().raw))
  }
  const { crowd } = zoo
  if (crowd !== undefined) await app.register(async (scope) => serveCrowd(scope, crowd))
  await app.ready()
  return app.server
}

/** The routes of the load-test endpoint. */
async function serveCrowd(app: FastifyInstance, crowd: LoadTestEndpoint): Promise<void> {
  type Named = { Params: { run: string } }
  app.all('/crowd', async ({ raw }, reply) => give(reply, answerOf(await crowd.answer(raw))))
  app.all<Named>('/crowd/:run', async ({ raw, params }, reply) =>
    give(reply, answerOf(await crowd.answer(raw, params.run))),
  )
  await app.register(async (scope) => {
    scope.addHook<Named>('onRequest', async ({ raw, params }, reply) => {
      const turnedAway = crowd.enter(raw, params.run)
      return turnedAway === null ? undefined : give(reply, answerOf(turnedAway))
    })
    await scope.register(rateLimit, { ...crowd.limits, hook: 'preHandler' })
    scope.post('/crowd/:run/tickets', async ({ raw }, reply) => give(reply, answerOf(await crowd.sell(raw))))
  })
}

async function order(request: FastifyRequest): Promise<void> {
  await takeOrder(request, request.raw)
}

function give(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
