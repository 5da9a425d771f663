import { once } from 'node:events'
import type { Server } from 'node:http'

const signals = { SIGINT: 2, SIGTERM: 15 } as const
/** For answers that are under way. */
const longestMs = 5000

/** Ctrl-C or SIGTERM closes once, and the process ends by itself; a second one ends it at once. */
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

/** Resolves when all who have asked are answered. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection that has had its answer stays open for the client's next request, which nobody waits for now.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const late = setTimeout(() => server.closeAllConnections(), longestMs)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
