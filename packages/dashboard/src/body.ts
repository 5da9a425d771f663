import type { IncomingMessage } from 'node:http'

/** An act is an id and a number. */
const mostBytes = 4096

/** What was sent is no act: `status` says why. */
export interface BodyFault {
  readonly status: 400 | 413 | 415
  readonly detail: string
}

/** The JSON of a request; a framework may have read it before, and put it on the request. */
export async function readJson(request: IncomingMessage): Promise<{ readonly value: unknown } | BodyFault> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return { status: 415, detail: 'An act is sent as application/json.' }
  }
  if ('body' in request && request.body !== undefined) return { value: request.body }
  if (request.readableEnded)
    return { status: 400, detail: 'The body was read before, and is not on the request.' }
  const text = await readText(request)
  if (text === undefined) return { status: 413, detail: `An act takes no more than ${mostBytes} bytes.` }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { status: 400, detail: 'The body is no JSON.' }
  }
}

/** undefined: too long. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
