import http from 'node:http'
import type { RunningZoo } from './zoo.ts'

/** What the dashboard's stream has sent so far, by the kind of message. */
export type Shown = { readonly [event: string]: { readonly [name: string]: unknown } }

/** Listens to the stream until what it has sent will do. */
export async function follow(
  { url }: RunningZoo,
  will: (shown: Shown) => boolean,
  headers: http.OutgoingHttpHeaders = {},
  spanSeconds = 60,
): Promise<Shown> {
  const shown: { [event: string]: Shown[string] } = {}
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.get(
      `${url}/dashboard/stream?span=${spanSeconds}`,
      { headers, agent: false },
      resolve,
    )
    request.once('error', reject)
  })
  let text = ''
  for await (const chunk of answer) {
    text += chunk
    const messages = text.split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? []
      if (data === undefined) continue
      const read = JSON.parse(data)
      shown[read.event] = read
    }
    if (will(shown)) break
  }
  return shown
}

/** A key that is near its limit, as the stream shows it. */
interface NearKey {
  readonly id: string
  readonly limiter: string
}

export interface Totals {
  readonly [row: string]: { readonly admitted: number; readonly refused: number }
}

/** Units of each row in the last minute. */
export function totalsOf({ history, second }: Shown): Totals {
  const totals = second?.totals ?? history?.totals ?? { rows: {} }
  return (totals as { readonly rows: Totals }).rows // as the dashboard's own tests hold it
}

export function nearKeys(shown: Shown[string] | undefined): readonly NearKey[] {
  return (shown?.keys ?? []) as readonly NearKey[] // as the dashboard's own tests hold it
}
