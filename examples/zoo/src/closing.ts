import { once } from 'node:events'
import type { Server } from 'node:http'

const signals = { SIGINT: 2, SIGTERM: 15 } as const
/** Time for responses that are under way. */
const longestMs = 5000

/** The first Ctrl-C or SIGTERM closes, after which the process ends; the second ends it at once. */
export function closeOnSignal(close: () => Promise<void>): void {
  let closing = false
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      if (closing) process.exit(128 + number)
      closing = true
      void close()
    })
  }
}

/** Resolves when all requests have been answered. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Idle connections stay open for a next request, which is not accepted any more.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const late = setTimeout(() => server.closeAllConnections(), longestMs)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
