import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { afterAll, expect, it } from '@jest/globals'
import { describeFront, type FrontOptions, portOf } from '@sluice/conformance/adapter'
import { concurrency, fixedWindow } from '@sluice/core'
import { type Handle, mergeUpstream } from '@sluice/http'
import express, { type RequestHandler } from 'express'
import httpProxy from 'http-proxy'
import { createProxyMiddleware, responseInterceptor } from 'http-proxy-middleware'
import { rateLimit } from '../src/index.ts'

/** An application whose requests meet a limiter and then this handler. */
async function serve(options: FrontOptions, handler: RequestHandler) {
  const server = createServer(express().use(rateLimit(options)).use(handler))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port: await portOf(server), close }
}

describeFront('Express with http-proxy', (port, options) => {
  const proxy = httpProxy.createProxyServer({ target: { host: '127.0.0.1', port } })
  proxy.on('proxyRes', (answer, req) => void mergeUpstream(req, answer.headers))
  return serve(options, (req, res) => proxy.web(req, res))
})

describeFront('Express with http-proxy-middleware', (port, options) =>
  serve(
    options,
    createProxyMiddleware({
      target: `http://127.0.0.1:${port}`,
      on: { proxyRes: (answer, req) => void mergeUpstream(req, answer.headers) },
    }),
  ),
)

const change = responseInterceptor(async (body) => body)

describeFront('Express with a responseInterceptor of http-proxy-middleware', (port, options) =>
  serve(
    options,
    createProxyMiddleware({
      target: `http://127.0.0.1:${port}`,
      selfHandleResponse: true,
      on: {
        proxyRes(answer, req, res) {
          mergeUpstream(req, answer.headers)
          return change(answer, req, res)
        },
      },
    }),
  ),
)

/** It never answers. */
const silent = createServer()
afterAll(() => void silent.close())

it.each([
  [
    'http-proxy',
    (port: number, limit: Handle<IncomingMessage, 'default'>): RequestHandler => {
      const proxy = httpProxy.createProxyServer({ target: { host: '127.0.0.1', port } })
      proxy.on('econnreset', (_error, req) => void limit.decisionFor(req)?.release())
      return (req, res) => proxy.web(req, res)
    },
  ],
  [
    'http-proxy-middleware',
    (port: number, limit: Handle<IncomingMessage, 'default'>): RequestHandler =>
      createProxyMiddleware({
        target: `http://127.0.0.1:${port}`,
        on: { econnreset: (_error, req) => void limit.decisionFor(req)?.release() },
      }),
  ],
])(
  '%s: the place of a client that breaks off its body is free, behind another limiter',
  async (_, handlerOf) => {
    const limit = rateLimit({
      name: 'places',
      policy: concurrency({ limit: 2, lease: '1h' }),
      key: () => 'k',
    })
    const first = rateLimit({ name: 'binds', policy: fixedWindow({ limit: 1, window: '1h' }) })
    const handler = handlerOf(await portOf(silent), limit)
    const server = createServer(express().use(first).use(limit).use(handler))
    const client = connect(await portOf(server), '127.0.0.1')
    client.write('POST / HTTP/1.1\r\nhost: zoo\r\ncontent-length: 9\r\n\r\nhalf')
    await once(silent, 'request')
    expect((await limit.limiter.peek('k')).remaining).toBe(1)
    client.resetAndDestroy()
    while ((await limit.limiter.peek('k')).remaining < 2) await new Promise(setImmediate)
    server.close()
  },
)
