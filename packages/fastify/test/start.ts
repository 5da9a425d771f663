import { METHODS } from 'node:http'
import { advised, type Exchange, type Start } from '@sluice/conformance/adapter'
import Fastify, {
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { rateLimit } from '../src/index.ts'

/** HEAD comes with GET; CONNECT asks for a tunnel. */
const methods = METHODS.filter((method) => method !== 'HEAD' && method !== 'CONNECT')

/** For the name of a plugin without one Fastify looks through all modules that are loaded, which are many in a test. */
const displayName = Symbol.for('fastify.display-name')

function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  return {
    request,
    raw: reply.raw,
    decision: request.rateLimit,
    set: (name, value) => void reply.header(name, value),
    takeOver: () => void reply.hijack(),
    send: (status, body = '') => void reply.code(status).send(body),
  }
}

/** Builds sites on Fastify. */
export const start: Start = async ({ first, limits, routes, onError, trust, http2, listen }) => {
  const trustProxy = trust === 'one' ? (_: string, hop: number) => hop === 0 : trust === 'all'
  const options: FastifyServerOptions = advised<FastifyServerOptions>(trust, 'Fastify') ?? { trustProxy }
  // Of HTTP/1 to the compiler: handlers see no difference.
  if (http2) Object.assign(options, { http2: true })
  const app = Fastify(options)
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  if (onError !== undefined)
    app.setErrorHandler((error, request, reply) => onError(error, exchangeOf(request, reply)))
  if (first !== undefined) {
    app.addHook('onRequest', async (request, reply) => {
      await first(exchangeOf(request, reply))
    })
  }
  for (const [i, each] of limits.entries()) {
    if (limits.indexOf(each) === i) await app.register(rateLimit, each)
    else app.addHook('onRequest', app.rateLimitHook())
  }
  for (const { path, limits: own, handler } of routes) {
    const route: FastifyPluginAsync = async (scope) => {
      for (const each of own) await scope.register(rateLimit, each)
      scope.route({
        method: methods,
        url: path,
        handler: async (request, reply) => {
          await handler(exchangeOf(request, reply))
          return reply
        },
      })
    }
    await app.register(Object.assign(route, { [displayName]: path }))
  }
  await app.listen(listen)
  return { server: app.server, handles: new Map(), close: () => app.close() }
}
