import type { RequestListener } from 'node:http'
import type { Stand, StandAnswer } from '@sluice/crowd'
import { rateLimit } from '@sluice/fastify'
import Fastify, { type FastifyReply } from 'fastify'
import { ticketsRoute } from './routes.ts'

export async function fastifyTickets(stand: Stand): Promise<RequestListener> {
  const app = Fastify()
  app.addHook('onRequest', (request, reply, done) => {
    const { run } = request.params as { run: string } // of the only route
    const turnedAway = stand.enter(request.raw, run)
    if (turnedAway === null) done()
    else give(reply, turnedAway)
  })
  await app.register(rateLimit, stand.limits)
  app.post(ticketsRoute, async (request, reply) => give(reply, await stand.sell(request.raw)))
  await app.ready()
  return app.routing
}

function give(reply: FastifyReply, { status, headers, body }: StandAnswer): FastifyReply {
  return reply.code(status).headers(Object.fromEntries(headers)).send(body)
}
