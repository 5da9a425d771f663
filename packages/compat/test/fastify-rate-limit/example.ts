// A service as it was written for @fastify/rate-limit: only this import has changed.
import rateLimit from '@sluice/compat/fastify-rate-limit'
import Fastify, { type FastifyInstance } from 'fastify'

interface Login {
  Body: { user: string; password: string }
}

/** Notes by user, a login that is banned after repeated refusals, and mails that share a count. */
export async function notes(): Promise<FastifyInstance> {
  const app = Fastify({ trustProxy: '127.0.0.1', forceCloseConnections: true })
  await app.register(rateLimit, {
    max: 5,
    timeWindow: '1 minute',
    keyGenerator: (request) => String(request.headers['x-user'] ?? request.ip),
    allowList: ['monitor'],
    errorResponseBuilder: (_request, context) => ({
      statusCode: context.statusCode,
      error: context.ban ? 'Banned' : 'Slow down',
      message: `${context.max} requests, again in ${context.after}`,
    }),
  })
  const failedLogins = app.createRateLimit({ max: 2, timeWindow: '15 minutes', keyGenerator: ({ ip }) => ip })

  app.setNotFoundHandler({ preHandler: app.rateLimit({ max: 2 }) }, (_request, reply) =>
    reply.code(404).send({ error: 'Nothing here' }),
  )
  app.get('/notes', async () => [])
  app.get('/health', { config: { rateLimit: false } }, async () => 'ok')
  app.post<Login>('/login', async (request, reply) => {
    const { isAllowed, ...failed } = await failedLogins(request, { increment: false })
    if (!isAllowed && 'remaining' in failed && failed.remaining === 0) return reply.code(429).send('Later.')
    if (request.body.password === 'secret') return 'welcome'
    await failedLogins(request)
    return reply.code(401).send('No.')
  })
  const mail = { rateLimit: { max: 2, ban: 1, groupId: 'mail' } }
  app.get('/mail', { config: mail }, async () => 'sent')
  app.get('/mail/again', { config: mail }, async () => 'sent again')
  return app
}
