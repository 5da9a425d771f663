import { type BunServer, rateLimit } from '@sluice/fetch/bun'
import { zooOf } from '../zoo.ts'

interface Serving extends BunServer {
  readonly port: number
}
declare const Bun: {
  serve(options: {
    readonly port: number
    readonly hostname: string
    readonly development: boolean
    readonly fetch: (request: Request, server: Serving) => Response | Promise<Response>
  }): Serving
}

const { port } = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch: zooOf((options) => rateLimit<string>(options) as never),
})
console.log(`listening on ${port}`)
