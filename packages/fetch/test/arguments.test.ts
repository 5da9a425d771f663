import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { fixedWindow, memoryStore } from '@sluice/core'
import { H3 } from 'h3'
import { Hono } from 'hono'
import * as bun from '../src/bun.ts'
import * as deno from '../src/deno.ts'
import * as h3 from '../src/h3.ts'
import * as hono from '../src/hono.ts'
import * as bare from '../src/index.ts'
import * as next from '../src/next.ts'
import * as sveltekit from '../src/sveltekit.ts'
import * as workers from '../src/workers.ts'

it.each(Object.entries({ bare, bun, deno, h3, hono, next, sveltekit, workers }))(
  'rateLimit of %s refuses a store beside its options, as it would not be used',
  (_name, { rateLimit }) => {
    const asInJavaScript = rateLimit as (...given: readonly unknown[]) => unknown
    const options = { policy: fixedWindow({ limit: 5, window: '1m' }), ip: () => undefined }
    expect(() => asInJavaScript(options, memoryStore())).toThrow(
      'arguments[1]: expected nothing, as the store is an option: { …, store }, got an object (MemoryStore)',
    )
  },
)

const limits = { policy: fixedWindow({ limit: 5, window: '1m' }), ip: () => '192.0.2.1' }

/** What Hono's error handler gets of a request that meets this middleware. */
async function errorOfHono(middleware: unknown): Promise<string> {
  let message = 'none'
  const app = new Hono()
  app.onError((error, c) => {
    message = error.message
    return c.body(null, 500)
  })
  app.use(middleware as ReturnType<typeof hono.rateLimit>)
  await app.request('/')
  return message
}

/** The same of h3. */
async function errorOfH3(middleware: unknown): Promise<string> {
  let message = 'none'
  const onError = ({ cause }: { cause?: unknown }) => {
    message = String(cause)
  }
  const app = new H3({ silent: true, onError })
  app.use(middleware as ReturnType<typeof h3.rateLimit>)
  await app.request('/')
  return message
}

it('a rateLimit that was not called says how it is called', async () => {
  const called = 'write app.use(rateLimit({ policy: gcra({ … }) }))'
  expect(await errorOfHono(hono.rateLimit)).toContain(called)
  expect(await errorOfH3(h3.rateLimit)).toContain(called)
})

it('a middleware of another framework says whose it is', async () => {
  expect(await errorOfHono(h3.rateLimit(limits))).toContain('event: expected an event of h3:')
  expect(await errorOfH3(hono.rateLimit(limits))).toContain('c: expected a context of Hono:')
})

it.each([bare.rateLimit(limits), next.rateLimit({ ...limits, name: 'pages' })])(
  "a handler that gets Node's own request, as in pages/api of Next.js, says what limits that",
  async (limit) => {
    const handler = limit(() => new Response('hello')) as (...given: readonly unknown[]) => Promise<unknown>
    const request = new IncomingMessage(new Socket())
    await expect(handler(request, new ServerResponse(request))).rejects.toThrow(
      "request: expected a Request; for Node's own, as of pages/api in Next.js, there is guardRequest of @sluice/http, got an object (IncomingMessage)",
    )
  },
)

it.each([
  ['server', bun.rateLimit({ policy: limits.policy })(() => new Response('hello'))],
  ['info', deno.rateLimit({ policy: limits.policy })(() => new Response('hello'))],
] as const)('a handler that is called without the %s says how it is handed on', async (name, limited) => {
  const handler = limited as (request: Request) => Promise<unknown>
  await expect(handler(new Request('http://zoo.example/'))).rejects.toThrow(
    `${name}: expected what the platform hands over besides the request: write (request, ${name}) => handler(request, ${name}), got undefined`,
  )
})
