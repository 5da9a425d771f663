import type { ServerResponse } from 'node:http'
import type { HeaderPort } from './merge.ts'
import type { RequestFacts } from './view.ts'

/** One request on its way through: what the framework hands over, and where fields are written. */
export interface Exchange<Req> {
  readonly request: Req
  readonly facts: RequestFacts
  readonly fields: HeaderPort
  readonly raw: ServerResponse
}
