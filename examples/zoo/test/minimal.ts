import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { freePort } from '@sluice/faults/outage'
import { bundledExample, type Program } from './program.ts'
import { frameworks } from './zoo.ts'

export type Server = (env: NodeJS.ProcessEnv) => Program | Promise<Program>

/** Each of the minimal examples, with what starts it. */
export function minimalServers(): (readonly [framework: string, server: Server])[] {
  return [...frameworks, 'hono', 'nest'].map(
    (framework) => [framework, bundledExample(`${framework}-minimal/src/server.ts`)] as const,
  )
}

export interface Started {
  readonly program: Program
  readonly port: number
}

/** Resolves when it listens. */
export async function start(server: Server): Promise<Started> {
  const port = await freePort()
  const program = await server({ PORT: String(port) })
  await program.prints(/http:\/\/\S+/)
  return { program, port }
}

/** A request whose last line is still to come, on a connection that its client would keep. */
export async function begin(port: number): Promise<Socket> {
  const socket = connect(port, 'localhost')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n')
  return socket
}
