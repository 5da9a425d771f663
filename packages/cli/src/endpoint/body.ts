import type { IncomingMessage } from 'node:http'
import { isRecord } from '@sluice/core/internal'
import { Problem } from './answer.ts'

const mostBytes = 10_000

/** A request's body, which nobody has read before. Rejects with a Problem where it is no JSON object. */
export async function readBody(request: IncomingMessage): Promise<{ readonly [name: string]: unknown }> {
  const value = parse(await readText(request))
  if (isRecord(value)) return value
  throw new Problem(400, 'The body must be a JSON object such as {"title":"log","policies":{…}}.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem(400, 'The body is not valid JSON.')
  }
}

/** Too long a body is read to its end and forgotten: an answer before that looks like a broken connection to who is still sending. */
async function readText(request: IncomingMessage): Promise<string> {
  if (request.readableEnded)
    throw new Problem(400, 'The body was read before: no parser may stand before the endpoint.')
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes <= mostBytes) chunks.push(chunk)
    }
  } catch {
    throw new Problem(400, 'The request ended before its body did.')
  }
  if (bytes > mostBytes) throw new Problem(413, `The body may have ${mostBytes} bytes at most.`)
  return Buffer.concat(chunks).toString()
}
