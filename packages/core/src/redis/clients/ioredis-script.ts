import type { Argument } from '../connection.ts'
import { KnownScripts, type ScriptSender } from '../known-scripts.ts'
import type { Script } from '../script.ts'
import type { ScriptCommands, ServerClient } from './ioredis-life.ts'

export interface CallOf {
  readonly keys: readonly string[]
  readonly args: readonly Argument[]
}

/** The scripts of one server's client. */
class IoredisScripts implements ScriptSender<CallOf> {
  readonly #client: ServerClient
  readonly #known = new KnownScripts()
  #stream: unknown

  constructor(client: ServerClient) {
    this.#client = client
  }

  /** Each connection has a stream of its own, and behind a new one may be another server. */
  run(script: Script, call: CallOf): Promise<unknown> {
    const { stream } = this.#client
    if (stream !== this.#stream) {
      this.#stream = stream
      this.#known.forget()
    }
    return this.#known.run(this, script, call)
  }

  bySha(script: Script, call: CallOf): Promise<unknown> {
    if (holdsBack(this.#client)) return inPipeline(this.#client, bySha, { script, call })
    return bySha(this.#client, script, call)
  }

  byText(script: Script, call: CallOf): Promise<unknown> {
    return runOnceOnIoredis(this.#client, script, call)
  }
}

const scripts = new WeakMap<ServerClient, IoredisScripts>()

export function runOnIoredis(client: ServerClient, script: Script, call: CallOf): Promise<unknown> {
  let known = scripts.get(client)
  if (known === undefined) {
    known = new IoredisScripts(client)
    scripts.set(client, known)
  }
  return known.run(script, call)
}

/** With its text, as the command before it holds for one command only. */
export function runOnceOnIoredis(client: ServerClient, script: Script, call: CallOf): Promise<unknown> {
  if (holdsBack(client)) return inPipeline(client, byText, { script, call })
  return byText(client, script, call)
}

/** A client with `enableAutoPipelining` holds a command back until those before it are answered; a pipeline of one's own goes out. */
function holdsBack({ options }: ServerClient): boolean {
  return options.enableAutoPipelining === true
}

async function inPipeline(
  client: ServerClient,
  send: (commands: ScriptCommands<unknown>, script: Script, call: CallOf) => unknown,
  { script, call }: { script: Script; call: CallOf },
): Promise<unknown> {
  const pipeline = client.pipeline()
  send(pipeline, script, call)
  const [outcome] = (await pipeline.exec()) ?? []
  if (outcome === undefined) throw new Error('the client gave no answer')
  const [error, reply] = outcome
  if (error !== null) throw error
  return reply
}

function bySha<Reply>(
  commands: ScriptCommands<Reply>,
  { sha, bytes }: Script,
  { keys, args }: CallOf,
): Reply {
  return bytes
    ? commands.evalshaBuffer(sha, keys.length, ...keys, ...args)
    : commands.evalsha(sha, keys.length, ...keys, ...args)
}

function byText<Reply>(
  commands: ScriptCommands<Reply>,
  { text, bytes }: Script,
  { keys, args }: CallOf,
): Reply {
  return bytes
    ? commands.evalBuffer(text, keys.length, ...keys, ...args)
    : commands.eval(text, keys.length, ...keys, ...args)
}
