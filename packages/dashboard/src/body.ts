import type { IncomingMessage } from 'node:http'
import { type BodyFault, readJsonBody } from '@sluice/http/internal'

/** Enough for an id and a number. */
const maxBytes = 4096

/** Why the body is not a valid action. */
export interface KeyActionFault {
  readonly status: 400 | 413 | 415
  readonly detail: string
}

const notJson = { status: 400, detail: 'The body is not valid JSON.' } as const
const faults: Readonly<Record<BodyFault, KeyActionFault>> = {
  'read-before': { status: 400, detail: 'The body has already been read, and is not on the request.' },
  'cut-off': { status: 400, detail: 'The request ended before its body did.' },
  'too-long': { status: 413, detail: `The body may have at most ${maxBytes} bytes.` },
  empty: notJson,
  'not-json': notJson,
}

/** Reads the JSON of a request; a framework may already have read it and put it on the request. */
export async function readKeyAction(
  request: IncomingMessage,
): Promise<{ readonly value: unknown } | KeyActionFault> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return { status: 415, detail: 'Send the action as application/json.' }
  }
  if ('body' in request && request.body !== undefined) return { value: request.body }
  const { fault, value } = await readJsonBody(request, maxBytes)
  return fault === undefined ? { value } : faults[fault]
}
