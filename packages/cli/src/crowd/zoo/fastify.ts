import type { RequestListener } from 'node:http'
import { rateLimit } from '@sluice/fastify'
import Fastify, { type FastifyReply } from 'fastify'
import type { EndpointAnswer, LoadTestEndpoint } from '../../endpoint/index.ts'
import { ticketsRoute } from './routes.ts'

export async function fastifyTickets(endpoint: LoadTestEndpoint): Promise<RequestListener> {
  const app = Fastify()
  app.addHook('onRequest', (request, reply, done) => {
    const { run } = request.params as { run: string } // of the only route
    const turnedAway = endpoint.enter(request.raw, run)
    if (turnedAway === null) done()
    else give(reply, turnedAway)
  })
  await app.register(rateLimit, endpoint.limits)
  app.post(ticketsRoute, async (request, reply) => give(reply, await endpoint.sell(request.raw)))
  await app.ready()
  return app.routing
}

function give(reply: FastifyReply, { status, headers, body }: EndpointAnswer): FastifyReply {
  return reply.code(status).headers(Object.fromEntries(headers)).send(body)
}
