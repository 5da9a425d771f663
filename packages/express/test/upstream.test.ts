import { createServer } from 'node:http'
import { describeFront, type FrontOptions, portOf } from '@sluice/conformance/adapter'
import { mergeUpstream } from '@sluice/http'
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
