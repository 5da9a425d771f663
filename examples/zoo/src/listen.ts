import { once } from 'node:events'
import type { Server } from 'node:http'
import { Complaint } from './complaint.ts'

/** Resolves to the server's URL. Rejects with a Complaint if it cannot listen. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw code === 'EADDRINUSE'
      ? new Complaint(1, `Port ${port} is in use: npm start -- --port 0 takes a free one.`)
      : new Complaint(1, `Cannot listen on ${host}, port ${port} (${code}).`)
  }
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return `http://${hostInUrl(host)}:${bound}`
}

function hostInUrl(host: string): string {
  // 0.0.0.0 means every address of this machine; a browser needs one of them.
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
