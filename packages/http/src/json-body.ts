import type { IncomingMessage } from 'node:http'

/** Why a body gives no JSON; `read-before`: a parser of the framework has taken it, `cut-off`: the client has gone. */
export type BodyFault = 'read-before' | 'cut-off' | 'too-long' | 'empty' | 'not-json'

export type JsonBody =
  | { readonly fault: undefined; readonly value: unknown }
  | { readonly fault: BodyFault; readonly value?: undefined }

/**
 * The JSON of a request's body. A body that is too long is read to its end and dropped: to a client that is still sending, an answer
 * before that looks like a broken connection.
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonBody> {
  if (request.readableEnded) return { fault: 'read-before' }
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
    }
  } catch {
    return { fault: 'cut-off' }
  }
  if (bytes > maxBytes) return { fault: 'too-long' }
  if (bytes === 0) return { fault: 'empty' }
  try {
    return { fault: undefined, value: JSON.parse(Buffer.concat(chunks).toString()) }
  } catch {
    return { fault: 'not-json' }
  }
}
