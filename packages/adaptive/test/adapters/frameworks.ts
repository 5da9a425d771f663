import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Priority, Shedding } from '@sluice/adaptive'
import { shed as expressShed } from '@sluice/adaptive/express'
import { shed as fastifyShed } from '@sluice/adaptive/fastify'
import { shed as koaShed } from '@sluice/adaptive/koa'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import Koa2 from 'koa2'
import type { Work } from './work.ts'

export interface SiteOptions {
  readonly load: Shedding
  readonly work: Work
  /** By the path of a request. */
  readonly priority: (path: string) => Priority
}

export interface Site {
  readonly port: number
  close(): Promise<void>
}

export const frameworks: readonly (readonly [string, (options: SiteOptions) => Promise<Site>])[] = [
  ['Express 5', (options) => onExpress(express, options)],
  ['Express 4', (options) => onExpress(express4 as unknown as typeof express, options)],
  ['Fastify 5', onFastify],
  ['Koa 3', (options) => onKoa(Koa, options)],
  ['Koa 2', (options) => onKoa(Koa2 as unknown as typeof Koa, options)],
]

async function listen(listener: RequestListener): Promise<Site> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return siteOf(server)
}

function siteOf(server: Server): Site {
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    port,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function onExpress(make: typeof express, { load, work, priority }: SiteOptions): Promise<Site> {
  const app = make()
  app.set('env', 'test') // does not print errors
  const shed = expressShed({ load, priority: (req) => priority(req.path) })
  app.use(shed, shed)
  app.use((req, res, next) => {
    work.at(req.path, res).then(({ status, body }) => {
      res.status(status)
      if (typeof body === 'string') res.end(body)
      else body.pipe(res)
    }, next)
  })
  return listen(app)
}

async function onFastify({ load, work, priority }: SiteOptions): Promise<Site> {
  const app = Fastify()
  for (let times = 0; times < 2; times++)
    await app.register(fastifyShed, { load, priority: ({ url }) => priority(url) })
  app.get('/*', async (request, reply) => {
    const { status, body } = await work.at(request.url, reply.raw)
    return reply.code(status).send(body)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port, close } = siteOf(app.server)
  return { port, close: () => Promise.all([close(), app.close()]).then(() => {}) }
}

function onKoa(Make: typeof Koa, { load, work, priority }: SiteOptions): Promise<Site> {
  const app = new Make()
  app.silent = true
  const shed = koaShed({ load, priority: (ctx) => priority(ctx.path) })
  app.use(shed)
  app.use(shed)
  app.use(async (ctx) => {
    const { status, body } = await work.at(ctx.path, ctx.res)
    ctx.status = status
    ctx.body = body
  })
  return listen(app.callback())
}
