import type { IncomingMessage } from 'node:http'
import { type BodyFault, isRecord, readJsonBody } from '@sluice/core/internal'
import { Problem } from './answer.ts'

const maxBytes = 10_000
const notJson = 'The body is not valid JSON.'

const problems: Readonly<Record<BodyFault, readonly [status: number, message: string]>> = {
  'read-before': [400, 'The body was read before: no parser may stand before the endpoint.'],
  'cut-off': [400, 'The request ended before its body did.'],
  'too-long': [413, `The body may have ${maxBytes} bytes at most.`],
  empty: [400, notJson],
  'not-json': [400, notJson],
}

/** A request's body, which nothing may have read before. Rejects with a Problem where it is no JSON object. */
export async function readBody(request: IncomingMessage): Promise<{ readonly [name: string]: unknown }> {
  const { fault, value } = await readJsonBody(request, maxBytes)
  if (fault !== undefined) throw new Problem(...problems[fault])
  if (isRecord(value)) return value
  throw new Problem(400, 'The body must be a JSON object such as {"title":"log","policies":{…}}.')
}
