import type { Connection } from '../connection.ts'
import type { IoredisLike } from '../known-client.ts'
import {
  type Argument,
  type KeysAndArgs,
  KnownScripts,
  type Script,
  type ScriptForm,
  type ScriptSender,
} from '../script.ts'
import { IoredisLife, type ScriptCommands, type ServerClient } from './ioredis-life.ts'

/** The scripts of one server's client. */
class IoredisScripts implements ScriptSender<KeysAndArgs> {
  readonly #client: ServerClient
  readonly #known = new KnownScripts()
  #stream: unknown

  constructor(client: ServerClient) {
    this.#client = client
  }

  /** Each connection has a stream of its own, and behind a new one may be another server. */
  run(script: Script, call: KeysAndArgs): Promise<unknown> {
    const { stream } = this.#client
    if (stream !== this.#stream) {
      this.#stream = stream
      this.#known.forget()
    }
    return this.#known.run(this, script, call)
  }

  sendScript(script: Script, call: KeysAndArgs, form: ScriptForm): Promise<unknown> {
    const send = form === 'text' ? byText : byDigest
    if (holdsBack(this.#client)) return inPipeline(this.#client, send, { script, call })
    return send(this.#client, script, call)
  }
}

const scripts = new WeakMap<ServerClient, IoredisScripts>()

export function scriptsOf(client: ServerClient): IoredisScripts {
  let known = scripts.get(client)
  if (known === undefined) {
    known = new IoredisScripts(client)
    scripts.set(client, known)
  }
  return known
}

/** A client with `enableAutoPipelining` holds a command back until those before it are answered; a pipeline of one's own goes out. */
function holdsBack({ options }: ServerClient): boolean {
  return options.enableAutoPipelining === true
}

async function inPipeline(
  client: ServerClient,
  send: (commands: ScriptCommands<unknown>, script: Script, call: KeysAndArgs) => unknown,
  { script, call }: { script: Script; call: KeysAndArgs },
): Promise<unknown> {
  const pipeline = client.pipeline()
  send(pipeline, script, call)
  const [outcome] = (await pipeline.exec()) ?? []
  if (outcome === undefined) throw new Error('the client gave no answer')
  const [error, reply] = outcome
  if (error !== null) throw error
  return reply
}

function byDigest<Reply>(
  commands: ScriptCommands<Reply>,
  { sha, bytes }: Script,
  { keys, args }: KeysAndArgs,
): Reply {
  return bytes
    ? commands.evalshaBuffer(sha, keys.length, ...keys, ...args)
    : commands.evalsha(sha, keys.length, ...keys, ...args)
}

function byText<Reply>(
  commands: ScriptCommands<Reply>,
  { text, bytes }: Script,
  { keys, args }: KeysAndArgs,
): Reply {
  return bytes
    ? commands.evalBuffer(text, keys.length, ...keys, ...args)
    : commands.eval(text, keys.length, ...keys, ...args)
}

/** Over an ioredis client of one server. */
export class IoredisConnection implements Connection {
  readonly #life: IoredisLife<ServerClient>

  constructor(client: ServerClient | Promise<ServerClient>) {
    this.#life = new IoredisLife(client)
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = this.#life.ready
    if (client !== undefined) return scriptsOf(client).run(script, { keys, args })
    return this.#runLater(script, { keys, args })
  }

  async #runLater(script: Script, call: KeysAndArgs): Promise<unknown> {
    return scriptsOf(await this.#life.connected()).run(script, call)
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    return (await this.#life.connected()).call(command, ...args)
  }

  whenLost(lost: () => void): void {
    this.#life.whenLost(lost)
  }

  async close(): Promise<void> {
    this.#life.close()
  }
}

/** isIoredis was asked; the rest every ioredis client has. */
export function overIoredis(client: IoredisLike): Connection {
  return new IoredisConnection(client as IoredisLike & ServerClient)
}
