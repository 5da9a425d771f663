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
  /** The same client with other replies: by default texts and numbers. */
  withTypeMapping(mapping: { readonly [type: number]: unknown }): this
}

/** The code of a text in the protocol: node-redis names the types of replies by it. */
const text = '$'.charCodeAt(0)
/** For `sendCommand`, which otherwise answers as its owner has set the client, by whichever form of it it is called. */
export const asTexts = { typeMapping: {} } as const

/** One client in its two forms: replies are texts, or bytes. */
export class ScriptRunner<Client extends ScriptClient> {
  readonly client: Client
  readonly #forBytes: Client

  constructor(client: Client) {
    this.client = client.withTypeMapping(asTexts.typeMapping)
    this.#forBytes = client.withTypeMapping({ [text]: Buffer })
  }

  async run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = script.bytes ? this.#forBytes : this.client
    const options = { keys: [...keys], arguments: args.map(String) }
    try {
      return await client.evalSha(script.sha, options)
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return client.eval(script.text, options)
    }
  }
}
