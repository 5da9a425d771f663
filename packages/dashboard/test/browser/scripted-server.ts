import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { pages } from '../../src/pages.generated.ts'
import type { Inspected, KeyActionBody, Message } from '../../src/wire.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A server that sends the page exactly the messages that a test gives it. */
export interface ScriptedServer {
  readonly url: string
  readonly port: number
  /** The addresses of streams that were asked for, and the acts. */
  readonly asked: readonly string[]
  readonly acts: readonly (KeyActionBody & { readonly name: string })[]
  /** Sends to every open stream. */
  send(...messages: readonly Message[]): void
  close(): Promise<void>
}

/** `greet(url)`: what a new stream gets first. `seen`: what `inspect` answers; without it each act is answered with 404. */
export async function scriptedServer(
  greet: (url: string) => readonly Message[],
  { port = 0, seen }: { readonly port?: number; readonly seen?: Inspected } = {},
): Promise<ScriptedServer> {
  const asked: string[] = []
  const acts: (KeyActionBody & { name: string })[] = []
  const streams = new Set<ServerResponse>()

  function stream(url: string, response: ServerResponse): void {
    asked.push(url)
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    streams.add(response)
    response.on('close', () => streams.delete(response))
    for (const message of greet(url)) say(response, message)
  }

  async function runAction(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (name === 'find') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"keys":[],"limiters":[]}')
      return
    }
    acts.push({ name, ...(JSON.parse(await text(request)) as KeyActionBody) }) // the tests compare it
    const [status, body] =
      seen === undefined ? [404, { detail: 'This key is no longer shown.' }] : [200, seen]
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }

  const server: Server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1).replace(/\?.*/, '')
    const page = pages[name]
    if (name === 'stream') stream(request.url ?? '', response)
    else if (request.method === 'POST') void runAction(name, request, response)
    else if (page === undefined) response.writeHead(404).end()
    else
      response.writeHead(200, { 'Content-Type': page.type, 'Content-Security-Policy': policy }).end(page.body)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo // a TCP server has one

  return {
    url: `http://127.0.0.1:${taken}/`,
    port: taken,
    asked,
    acts,
    send: (...messages) => {
      for (const response of streams) for (const message of messages) say(response, message)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const say = (response: ServerResponse, message: Message) =>
  response.write(`data: ${JSON.stringify(message)}\n\n`)
