import type { ServerResponse } from 'node:http'
import type { EndpointAnswer } from '../../endpoint/index.ts'

export function give(response: ServerResponse, { status, headers, body }: EndpointAnswer): void {
  for (const [name, value] of headers) response.setHeader(name, value)
  response.writeHead(status).end(body)
}
