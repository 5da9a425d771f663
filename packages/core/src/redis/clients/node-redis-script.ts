import {
  type KeysAndArgs,
  KnownScripts,
  type Script,
  type ScriptForm,
  type ScriptSender,
} from '../connection.ts'

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

/** The code of a text in the protocol, by which node-redis names the types of replies. */
const text = '$'.charCodeAt(0)
/** How the texts of replies come. */
export interface ReplyForm {
  readonly typeMapping: { readonly [type: number]: unknown }
}

/** For `sendCommand`, which without it answers as the owner has set the client, whichever form of the client it is called on. */
export const asTexts: ReplyForm = { typeMapping: {} }
export const asBytes: ReplyForm = { typeMapping: { [text]: Buffer } }

/** One client in its two forms: replies are texts, or bytes. */
export class ScriptRunner<Client extends ScriptClient> implements ScriptSender<ScriptOptions> {
  readonly client: Client
  readonly #forBytes: Client
  /** By server, as the client of a cluster has several. */
  readonly #known = new Map<string, KnownScripts>()

  constructor(client: Client) {
    this.client = client.withTypeMapping(asTexts.typeMapping)
    this.#forBytes = client.withTypeMapping(asBytes.typeMapping)
  }

  /** Forgets all scripts: a connection has ended, and behind the next one may be another server. */
  forget(): void {
    this.#known.clear()
  }

  /** `server`: the one that holds the keys, in a cluster. */
  run(script: Script, { keys, args }: KeysAndArgs, server = ''): Promise<unknown> {
    let known = this.#known.get(server)
    if (known === undefined) {
      known = new KnownScripts()
      this.#known.set(server, known)
    }
    return known.run(this, script, { keys: [...keys], arguments: args.map(String) })
  }

  sendScript(script: Script, options: ScriptOptions, form: ScriptForm): Promise<unknown> {
    const client = script.bytes ? this.#forBytes : this.client
    return form === 'text' ? client.eval(script.text, options) : client.evalSha(script.sha, options)
  }
}
