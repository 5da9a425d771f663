import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Handled } from '../src/handle.ts'
import type { RequestFacts } from '../src/request-view.ts'

/** A request without a server: what a gate needs of one, and the response that it writes to. */
export function exchangeOf(
  facts: Partial<RequestFacts> = {},
  request: object = {},
): Handled<object> & { readonly raw: ServerResponse } {
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  const whole = {
    method: 'GET',
    route: undefined,
    ip: '192.0.2.1',
    peer: '192.0.2.1',
    trustsAll: false,
    headers: {},
  }
  return { request, facts: { ...whole, ...facts }, fields: raw, raw }
}
