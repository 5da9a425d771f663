import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import httpProxy from '@fastify/http-proxy'
import replyFrom, { type FastifyReplyFromHooks } from '@fastify/reply-from'
import { afterAll, expect, it } from '@jest/globals'
import { describeFront, type FrontOptions, portOf } from '@sluice/conformance/adapter'
import { concurrency } from '@sluice/core'
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

const rewriteHeaders: FastifyReplyFromHooks['rewriteHeaders'] = (headers, request) => {
  if (request?.raw.aborted) void request.rateLimit?.release()
  return headers
}
const behind = createServer()
afterAll(() => void behind.close())

it.each([
  [
    '@fastify/http-proxy',
    (app: FastifyInstance, base: string) =>
      app.register(httpProxy, { upstream: base, replyOptions: { rewriteHeaders } }),
  ],
  [
    'reply.from',
    (app: FastifyInstance, base: string) =>
      app.register(replyFrom, { base }).get('/', (_request, reply) => reply.from('/', { rewriteHeaders })),
  ],
])('%s: the place of a client that has gone is free when the server behind answers', async (_, add) => {
  const app = fastify()
  await app.register(rateLimit, { policy: concurrency({ limit: 1, lease: '1h' }), key: () => 'k' })
  const { limiter } = app.rateLimitHook()
  await add(app, `http://127.0.0.1:${await portOf(behind)}`)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect(await portOf(app.server), '127.0.0.1')
  const asked = once(app.server, 'request') as Promise<[unknown, ServerResponse]> // as Node's server emits it
  client.write('GET / HTTP/1.1\r\nhost: zoo\r\n\r\n')
  const [, answer] = (await once(behind, 'request')) as [unknown, ServerResponse] // as Node's server emits it
  const gone = once((await asked)[1], 'close')
  client.resetAndDestroy()
  await gone
  expect((await limiter.peek('k')).allowed).toBe(false)
  answer.end('hello')
  while (!(await limiter.peek('k')).allowed) await new Promise(setImmediate)
  await app.close()
})
