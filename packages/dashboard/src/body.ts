import type { IncomingMessage } from 'node:http'
import { type BodyFault, readJsonBody } from '@sluice/core/internal'

/** An act is an id and a number. */
const maxBytes = 4096

/** What was sent is no act: `status` says why. */
export interface KeyActionFault {
  readonly status: 400 | 413 | 415
  readonly detail: string
}

const notJson = { status: 400, detail: 'The body is no JSON.' } as const
const faults: Readonly<Record<BodyFault, KeyActionFault>> = {
  'read-before': { status: 400, detail: 'The body was read before, and is not on the request.' },
  'cut-off': { status: 400, detail: 'The request ended before its body did.' },
  'too-long': { status: 413, detail: `An act takes no more than ${maxBytes} bytes.` },
  empty: notJson,
  'not-json': notJson,
}

/** The JSON of a request; a framework may have read it before, and put it on the request. */
export async function readKeyAction(
  request: IncomingMessage,
): Promise<{ readonly value: unknown } | KeyActionFault> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return { status: 415, detail: 'An act is sent as application/json.' }
  }
  if ('body' in request && request.body !== undefined) return { value: request.body }
  const { fault, value } = await readJsonBody(request, maxBytes)
  return fault === undefined ? { value } : faults[fault]
}
