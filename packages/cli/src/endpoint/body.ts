import type { IncomingMessage } from 'node:http'
import { isRecord } from '@sluice/core/internal'
import { type BodyFault, readJsonBody } from '@sluice/http/internal'
import { Problem } from './answer.ts'

const maxBytes = 10_000
const notJson = 'The body is not valid JSON.'

const problems: Readonly<Record<BodyFault, readonly [status: number, message: string]>> = {
  'read-before': [400, 'The body has already been read: no body parser may come before the endpoint.'],
  'cut-off': [400, 'The request ended before its body was complete.'],
  'too-long': [413, `The body may have at most ${maxBytes} bytes.`],
  empty: [400, notJson],
  'not-json': [400, notJson],
}

/** Reads a request's body, which must not have been read before. Rejects with a Problem if it is not a JSON object. */
export async function readBody(request: IncomingMessage): Promise<{ readonly [name: string]: unknown }> {
  const { fault, value } = await readJsonBody(request, maxBytes)
  if (fault !== undefined) throw new Problem(...problems[fault])
  if (isRecord(value)) return value
  throw new Problem(400, 'The body must be a JSON object such as {"title":"log","policies":{…}}.')
}
