import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { type Start, type WebHandler, webSite } from '@sluice/conformance/adapter'
import { decisionOf, fieldsOf } from '@sluice/fetch'
import { rateLimit } from '@sluice/fetch/next'
import { buildApp } from '../../server.ts'
import { importBuilt } from './built.ts'
import { type Listener, serve } from './serve.ts'

/** What answers the request that is being answered, and the response of it. */
const asked = new AsyncLocalStorage<{ readonly fetch: WebHandler<[]>; readonly raw: ServerResponse }>()

/** Next.js tells nobody the address: this stands for a program's own server, which knows it. */
const addressOf = () => asked.getStore()?.raw.req.socket.remoteAddress

/** Builds sites of handlers in an application that Next.js has built. */
export async function startInNext(): Promise<Start> {
  const dir = await buildApp('next-sites', ['next', ['build']])
  const { module, realm } = await importBuilt<{ handler: Listener }>(`${dir}/handler.mjs`, {})
  Object.assign(realm, { sluiceAnswer: (request: Request) => asked.getStore()?.fetch(request) })
  return async (site) => {
    const { fetch, handles } = webSite<[]>(site, {
      rateLimit: (options, proxies) => rateLimit<string>({ ...options, ip: addressOf, proxies }),
      decisionOf,
      fieldsOf,
      rawOf: () => asked.getStore()?.raw as ServerResponse, // the site was found by it
      answersErrors: true,
    })
    const running = await serve(site, (request, raw) =>
      asked.run({ fetch, raw }, () => module.handler(request, raw)),
    )
    return { ...running, handles }
  }
}
