import { once } from 'node:events'
import http from 'node:http'
import { expect, it } from '@jest/globals'
import { Controller, Get, Res } from '@nestjs/common'
import { concurrency, createLimiter } from '@sluice/core'
import { guarded } from './serve.ts'
import { onFastify } from './start.ts'

it('a Web stream that a handler sends by @Res() leaves its place when its client hangs up', async () => {
  const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '1h' }) })
  let cancelled = () => {}
  const over = new Promise<void>((resolve) => {
    cancelled = resolve
  })

  @Controller()
  class Zoo {
    @Get()
    tigers(@Res() reply: { send(body: unknown): unknown }): void {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => cancelled(),
      })
      reply.send(new Response(body))
    }
  }

  const { app } = await guarded(onFastify, { limiter, key: () => 'bob' }, { controllers: [Zoo] })
  // Not by fetch: it connects once more after a body is cancelled, and the server waits a minute for a request there.
  const [response] = await once(http.get(await app.getUrl()), 'response')
  expect((await limiter.peek('bob')).remaining).toBe(0)
  response.destroy()
  await over
  await new Promise((resolve) => setImmediate(resolve))
  expect((await limiter.peek('bob')).remaining).toBe(1)
})
