import { type Latencies, latencies, leadMs } from '../asking/arrivals.ts'
import { serve } from '../helper.ts'
import { Connection } from './connection.ts'
import { host } from './limits.ts'

// Started by httpSections: sends requests to servers, from a process of its own.

const clients = 10_000
const atOnce = 64

/** Ten thousand clients behind one proxy. */
const requests = Array.from({ length: clients }, (_, i) =>
  Buffer.from(
    `GET / HTTP/1.1\r\nHost: bench\r\nX-Forwarded-For: 10.0.${i >> 8}.${i & 255}\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`,
  ),
)

interface Target {
  readonly port: number
  /** Whether responses carry the fields of a limit. */
  readonly limited: boolean
}

interface Arriving extends Target {
  readonly perSecond: number
  readonly turnMs: number
}

const free = new Map<number, Connection[]>()
let sent = 0

function freeAt(port: number): Connection[] {
  const known = free.get(port) ?? []
  free.set(port, known)
  return known
}

async function sendOne({ port, limited }: Target): Promise<boolean> {
  const idle = freeAt(port)
  const connection = idle.pop() ?? (await Connection.open(host, port))
  const response = await connection.request(requests[sent++ % clients] ?? Buffer.alloc(0))
  idle.push(connection)
  return response.startsWith('HTTP/1.1 200 ') && /\r\n(x-)?ratelimit/i.test(response) === limited
}

const duties = {
  /** Sends that many, 64 at once; resolves to how many responses were not as expected. */
  async send({ times, ...target }: Target & { times: number }): Promise<number> {
    let left = times
    let wrong = 0
    async function sendInTurn(): Promise<void> {
      while (left-- > 0) if (!(await sendOne(target))) wrong++
    }
    await Promise.all(Array.from({ length: atOnce }, sendInTurn))
    return wrong
  },

  arrivals({ perSecond, turnMs, ...target }: Arriving): Promise<Latencies & { readonly wrong: number }> {
    return latencies({ perSecond, turnMs, leadMs }, () => sendOne(target))
  },
}

export type LoadDuties = typeof duties

serve(duties)
