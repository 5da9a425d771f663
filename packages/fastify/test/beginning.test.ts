import { describe, expect, it } from '@jest/globals'
import { gcra, memoryStore, type Store } from '@sluice/core'
import { rateLimit } from '@sluice/fastify'
import Fastify from 'fastify'

describe('an application with a store that has not answered', () => {
  it('does not begin to serve before its store has answered once', async () => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const inner = memoryStore()
    const store: Store = {
      name: 'slow',
      answer: (question) => inner.answer(question),
      adjust: (changes) => inner.adjust(changes),
      manage: (command) => inner.manage(command),
      ready: () => answered,
      close: () => inner.close(),
    }
    const app = Fastify()
    app.register(rateLimit, { policy: gcra({ count: 4, period: '1s' }), store })
    let ready = false
    const begun = app.ready().then(() => {
      ready = true
    })
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    expect(ready).toBe(false)
    answer()
    await begun
    await app.close()
  })
  it('begins without it, also where only some routes are limited', async () => {
    const store = Object.assign(memoryStore(), { ready: () => Promise.reject(new Error('away')) })
    const app = Fastify()
    await app.register(rateLimit, { global: false, store })
    const policy = gcra({ count: 1, period: '1h' })
    app.get('/', { config: { rateLimit: { policy } } }, async () => 'hello')
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const status of [200, 429]) expect((await fetch(url)).status).toBe(status)
    await app.close()
  })
})
