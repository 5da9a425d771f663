import type { ServerResponse } from 'node:http'
import type { StandAnswer } from '@sluice/crowd'

export function give(response: ServerResponse, { status, headers, body }: StandAnswer): void {
  for (const [name, value] of headers) response.setHeader(name, value)
  response.writeHead(status).end(body)
}
