import { type Argument, isUnknownScript } from './connection.ts'
import type { ServerClient } from './ioredis-life.ts'
import type { Script } from './script.ts'

/** `again`: called before the text is sent, where the server does not know the script. */
export async function runOnIoredis(
  client: ServerClient,
  { sha, text, bytes }: Script,
  { keys, args }: { readonly keys: readonly string[]; readonly args: readonly Argument[] },
  again?: () => void,
): Promise<unknown> {
  try {
    return await (bytes
      ? client.evalshaBuffer(sha, keys.length, ...keys, ...args)
      : client.evalsha(sha, keys.length, ...keys, ...args))
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    again?.()
    return bytes
      ? client.evalBuffer(text, keys.length, ...keys, ...args)
      : client.eval(text, keys.length, ...keys, ...args)
  }
}
