import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { outcomeOf } from '@sluice/http'
import { whenClosed } from '@sluice/http/internal'
import type { LoadTestEndpoint } from '../../endpoint/index.ts'
import { give } from './give.ts'
import { placeOf } from './routes.ts'

/** Plain Node, without a framework. */
export function nodeTickets(endpoint: LoadTestEndpoint): RequestListener {
  return (request, response) => {
    sellTicket(endpoint, request, response).catch((error) => response.destroy(error))
  }
}

async function sellTicket(
  endpoint: LoadTestEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const place = placeOf(request.url ?? '')
  const turnedAway = endpoint.enter(request, place.kind === 'tickets' ? place.run : '')
  if (turnedAway !== null) return give(response, turnedAway)
  const { limiter, key } = endpoint.limits
  const decision = await limiter.check(key(request))
  const { headers, refusal } = outcomeOf(decision, { accept: request.headers.accept })
  if (refusal !== null) {
    const type = ['Content-Type', refusal.type] as const
    return give(response, { status: refusal.status, headers: [...headers, type], body: refusal.body })
  }
  // A lease is released once the visitor has been answered.
  if (decision.allowed) whenClosed(response, () => void decision.release())
  for (const [name, value] of headers) response.setHeader(name, value)
  give(response, await endpoint.sell(request))
}
