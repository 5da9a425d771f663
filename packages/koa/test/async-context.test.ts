import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import Koa from 'koa'
import { rateLimit } from '../src/index.ts'

it('settle runs in the context of an earlier middleware, that of its own request', async () => {
  const tenants = new AsyncLocalStorage<string>()
  const limiter = createLimiter({ policy: fixedWindow({ limit: 100, window: '1m' }) })
  const settled: unknown[] = []
  let both = () => {}
  const over = new Promise<void>((resolve) => {
    both = resolve
  })
  const app = new Koa()
  app.use((ctx, next) => tenants.run(ctx.path, next))
  const settle = ({ path }: { path: string }) => {
    if (settled.push([path, tenants.getStore()]) === 2) both()
    return 0
  }
  app.use(rateLimit({ limiter, key: () => 'zoo', settle }))
  app.use(async (ctx) => {
    ctx.body = 'hello'
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await Promise.all(['/a', '/b'].map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()))
  await over
  expect(settled.sort()).toEqual([
    ['/a', '/a'],
    ['/b', '/b'],
  ])
  expect((await limiter.peek('zoo')).remaining).toBe(100)
  server.close()
})
