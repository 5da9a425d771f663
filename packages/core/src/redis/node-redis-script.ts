import { type Argument, isUnknownScript } from './connection.ts'
import type { Script } from './script.ts'

interface ScriptOptions {
  readonly keys: string[]
  readonly arguments: string[]
}

/** What both of node-redis' clients, for one server and for a cluster, have in common here. */
export interface ScriptClient {
  evalSha(sha: string, options: ScriptOptions): Promise<unknown>
  eval(text: string, options: ScriptOptions): Promise<unknown>
  /** The same client with other replies: an empty mapping means texts and numbers. */
  withTypeMapping(mapping: Record<string, never>): this
}

export async function runScript(
  client: ScriptClient,
  { sha, text }: Script,
  { keys, args }: { keys: readonly string[]; args: readonly Argument[] },
): Promise<unknown> {
  const options = { keys: [...keys], arguments: args.map(String) }
  try {
    return await client.evalSha(sha, options)
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    return client.eval(text, options)
  }
}
