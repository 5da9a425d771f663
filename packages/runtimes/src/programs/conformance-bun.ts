import { describeAdapter } from '@sluice/conformance/adapter'
import { type BunServer, rateLimit } from '@sluice/fetch/bun'
import { runAll } from '../suite/inside/runner.ts'
import { startOn } from '../suite/inside/start.ts'

interface Serving extends BunServer {
  readonly port: number
  stop(): Promise<void>
}
declare const Bun: {
  serve(options: {
    readonly port?: number
    readonly hostname?: string
    readonly unix?: string
    readonly development: boolean
    readonly fetch: (request: Request, server: Serving) => Promise<Response>
  }): Serving
  gc(atOnce: boolean): number
}

Object.assign(globalThis, { gc: () => Bun.gc(true) })

const start = startOn<[Serving]>({
  rateLimit: (options, proxies) => rateLimit<string>({ ...options, proxies }),
  addressOf: (request, server) => server.requestIP(request)?.address,
  async serve(listen, fetch) {
    const where = 'path' in listen ? { unix: listen.path } : { port: listen.port, hostname: listen.host }
    const server = Bun.serve({ ...where, development: false, fetch })
    return {
      address: 'path' in listen ? listen.path : { port: server.port },
      close: () => server.stop(),
    }
  },
  // Bun tells nobody: what needs no waiting is sent at once.
  sent: () => new Promise((resolve) => setTimeout(resolve)),
})

describeAdapter('@sluice/fetch/bun', start, JSON.parse(process.argv[2] ?? '[]'))
await runAll()
