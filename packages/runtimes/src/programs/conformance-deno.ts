import { describeAdapter } from '@sluice/conformance/adapter'
import { type DenoInfo, rateLimit } from '@sluice/fetch/deno'
import { runAll } from '../suite/inside/runner.ts'
import { startOn } from '../suite/inside/start.ts'

interface Info extends DenoInfo {
  readonly completed: Promise<void>
}
type Where = { readonly port: number; readonly hostname: string } | { readonly path: string }

declare const Deno: {
  serve(
    options: Where & { onListen(): void },
    handler: (request: Request, info: Info) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}

const start = startOn<[Info]>({
  rateLimit: (options, proxies) => rateLimit<string>({ ...options, proxies }),
  addressOf: (_, { remoteAddr }) => ('hostname' in remoteAddr ? String(remoteAddr.hostname) : undefined),
  async serve(listen, fetch) {
    const where = 'path' in listen ? listen : { port: listen.port, hostname: listen.host }
    const server = Deno.serve({ ...where, onListen: () => {} }, fetch)
    return {
      address: 'path' in listen ? listen.path : { port: server.addr.port },
      close: () => server.shutdown(),
    }
  },
  sent: (_, { completed }) => completed,
})

describeAdapter('@sluice/fetch/deno', start, JSON.parse(process.argv[2] ?? '[]'))
await runAll()
