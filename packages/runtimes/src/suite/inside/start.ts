import { EventEmitter } from 'node:events'
import type { Server } from 'node:net'
import {
  type Site,
  type Start,
  type WebHandler,
  type WebPlatform,
  webSite,
} from '@sluice/conformance/adapter'
import { decisionOf, fieldsOf } from '@sluice/fetch'
import { Answers } from './answer.ts'

/** A server of a runtime's own. */
interface Served {
  /** Where it listens: a port, or a path. */
  readonly address: string | { readonly port: number }
  close(): Promise<unknown>
}

interface Platform<Rest extends readonly unknown[]> {
  readonly rateLimit: WebPlatform<Rest>['rateLimit']
  addressOf(request: Request, ...rest: Rest): string | undefined
  serve(listen: Site['listen'], fetch: WebHandler<Rest>): Promise<Served>
  /** Settles when a response is sent; its request's signal tells of those that are not. */
  sent(response: Response, ...rest: Rest): Promise<unknown>
}

/** What scenarios ask of Node's server. */
class Standing extends EventEmitter {
  readonly #address: Served['address']
  readonly #answers: Answers

  constructor(address: Served['address'], answers: Answers) {
    super()
    this.#address = address
    this.#answers = answers
  }

  address(): Served['address'] {
    return this.#address
  }

  getConnections(tell: (error: null, count: number) => void): void {
    tell(null, this.#answers.open)
  }
}

/** Builds sites on a runtime's own server. */
export function startOn<Rest extends readonly unknown[]>(platform: Platform<Rest>): Start {
  const { rateLimit, addressOf, serve, sent } = platform
  return async (site) => {
    const answers = new Answers()
    const answerOf = (request: Request, rest: Rest) => answers.of(request, addressOf(request, ...rest))
    const { fetch, handles } = webSite<Rest>(site, {
      rateLimit,
      decisionOf,
      fieldsOf,
      rawOf: (request, ...rest) => answerOf(request, rest).raw,
    })
    const { address, close } = await serve(site.listen, async (request, ...rest) => {
      const answer = answerOf(request, rest)
      const response = await fetch(request, ...rest)
      const over = () => answer.over()
      void sent(response, ...rest).then(over, over)
      return response
    })
    return {
      server: new Standing(address, answers) as unknown as Server, // of which no more is asked
      handles,
      // A handler that never ends holds up some servers for ever, its client long gone.
      close: async () => {
        await Promise.race([close(), answers.over()])
      },
    }
  }
}
