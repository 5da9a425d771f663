import httpProxy from '@fastify/http-proxy'
import replyFrom from '@fastify/reply-from'
import { describeFront, type FrontOptions, portOf } from '@sluice/conformance/adapter'
import { mergeUpstream } from '@sluice/http'
import fastify, { type FastifyInstance } from 'fastify'
import { rateLimit } from '../src/index.ts'

async function serve(options: FrontOptions, add: (app: FastifyInstance) => Promise<void>) {
  const app = fastify()
  await app.register(rateLimit, options)
  await add(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { port: await portOf(app.server), close: () => app.close() }
}

describeFront('Fastify with @fastify/http-proxy', (port, options) =>
  serve(options, async (app) => {
    await app.register(httpProxy, {
      upstream: `http://127.0.0.1:${port}`,
      replyOptions: { rewriteHeaders: (headers, request) => mergeUpstream(request ?? {}, headers) },
    })
  }),
)

describeFront('Fastify with reply.from', (port, options) =>
  serve(options, async (app) => {
    await app.register(replyFrom, { base: `http://127.0.0.1:${port}` })
    app.get('/', (_, reply) =>
      reply.from('/', { rewriteHeaders: (headers, request) => mergeUpstream(request ?? {}, headers) }),
    )
  }),
)
