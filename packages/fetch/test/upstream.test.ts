import { createAdaptorServer } from '@hono/node-server'
import { describeFront, portOf } from '@sluice/conformance/adapter'
import { mergeUpstream } from '@sluice/http'
import { Hono } from 'hono'
import { rateLimit as inHono } from '../src/hono.ts'
import { rateLimit as aroundHandlers } from '../src/index.ts'

const address = () => '192.0.2.1'

async function serve(handler: (request: Request) => Response | Promise<Response>) {
  const server = createAdaptorServer({ fetch: handler }) as Parameters<typeof portOf>[0]
  return { port: await portOf(server), close: () => void server.close() }
}

/** What another server answers, whose headers may be changed. */
async function ask(port: number, request: object): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  const response = new Response(answer.body, answer)
  mergeUpstream(request, response.headers)
  return response
}

describeFront('a Web-standard handler with fetch', (port, options) =>
  serve(aroundHandlers({ ...options, ip: address })((request) => ask(port, request))),
)

describeFront('Hono with fetch', (port, options) => {
  const app = new Hono()
  app.use(inHono({ ...options, ip: address }))
  app.get('/', (c) => ask(port, c))
  return serve((request) => app.fetch(request))
})
