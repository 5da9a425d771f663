import { rateLimit } from '@sluice/fetch/deno'
import { zooOf } from '../zoo.ts'

declare const Deno: {
  serve(
    options: {
      readonly port: number
      readonly hostname: string
      onListen(where: { readonly port: number }): void
    },
    handler: (request: Request, info: object) => Response | Promise<Response>,
  ): void
}

Deno.serve(
  { port: 0, hostname: '127.0.0.1', onListen: ({ port }) => console.log(`listening on ${port}`) },
  zooOf((options) => rateLimit<string>(options) as never),
)
