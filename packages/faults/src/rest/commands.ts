import type { Redis } from 'ioredis6'

/** A reply as the REST protocol has it. */
export type RestReply = { readonly result: unknown } | { readonly error: string }

/** Runs one command. `base64`: how texts are written. */
export async function replyTo(client: Redis, command: unknown, base64: boolean): Promise<RestReply> {
  if (!isCommand(command)) return { error: 'ERR failed to parse command' }
  const [name = '', ...args] = command.map(String)
  try {
    return { result: written(await client.callBuffer(name, ...args), base64) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

function isCommand(value: unknown): value is readonly (string | number)[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((word) => typeof word === 'string' || typeof word === 'number')
  )
}

/** A reply for JSON. A text loses what is no UTF-8, unless it is written as Base64. */
function written(reply: unknown, base64: boolean): unknown {
  if (Array.isArray(reply)) return reply.map((each) => written(each, base64))
  if (!Buffer.isBuffer(reply)) return reply
  const text = reply.toString()
  return base64 && text !== 'OK' ? reply.toString('base64') : text
}
