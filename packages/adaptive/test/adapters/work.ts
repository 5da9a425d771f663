import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'

/** What a route answers, whatever the framework. */
export interface Answered {
  readonly status: number
  readonly body: string | Readable
}

/** The work of the routes, as a test directs it. */
export class Work {
  /** Requests that are at work, by their responses. */
  readonly begun: ServerResponse[] = []
  #go: () => void = () => {}
  #waits: Promise<void> = Promise.resolve()

  /** From now on `/wait` and `/late-stream` wait for `go`. */
  stop(): void {
    this.#waits = new Promise((resolve) => {
      this.#go = resolve
    })
  }

  go(): void {
    this.#go()
  }

  async at(path: string, response: ServerResponse): Promise<Answered> {
    this.begun.push(response)
    if (path === '/never') await new Promise(() => {})
    if (path === '/throw') throw new Error('the handler fails')
    if (path === '/wait' || path === '/late-stream') await this.#waits
    if (path === '/busy') return { status: 503, body: 'busy' }
    if (path === '/large') return { status: 200, body: 'x'.repeat(2 ** 23) }
    if (path === '/stream' || path === '/late-stream') {
      const body = new PassThrough()
      body.write('beginning')
      return { status: 200, body }
    }
    return { status: 200, body: 'done' }
  }

  /** The response of the only request, once its connection is closed. */
  async closed(): Promise<void> {
    const [response] = this.begun
    if (response !== undefined && !response.destroyed) await once(response, 'close')
  }
}

/** Waits for what other parts of this process do, turn by turn. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
