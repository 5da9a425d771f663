import type { IoredisLike } from '../client-kinds.ts'
import {
  type Argument,
  type Connection,
  isUnknownScript,
  type KeysAndArgs,
  KnownScripts,
  passOn,
  type ReplyListener,
  type Script,
  type ScriptForm,
  type ScriptSender,
} from '../connection.ts'
import { type CommandClient, commandsOf, DigestCommand, type DigestSender } from './ioredis-command.ts'
import {
  IoredisLifecycle,
  type Pipeline,
  type ScriptCommands,
  type ServerClient,
} from './ioredis-lifecycle.ts'

class IoredisScripts implements ScriptSender<KeysAndArgs>, DigestSender {
  readonly #client: ServerClient
  readonly #known = new KnownScripts()
  #stream: unknown
  /** The client, if it takes commands of ours. */
  #commands: CommandClient | undefined

  constructor(client: ServerClient) {
    this.#client = client
  }

  run(script: Script, call: KeysAndArgs): Promise<unknown> {
    this.#meet()
    return this.#known.run(this, script, call)
  }

  /** The same without a promise if the script goes by digest. */
  runFor(script: Script, call: KeysAndArgs, listener: ReplyListener): void {
    this.#meet()
    const { known } = this.#known
    if (this.#commands === undefined || !known.has(script.sha)) passOn(this.run(script, call), listener)
    else this.#commands.sendCommand(new DigestCommand(script, call, { listener, known, sender: this }))
  }

  /** A call by digest has failed. Where the server does not know the script, sends its text for a reply. */
  failed({ script, call, listener, known }: DigestCommand, error: unknown): void {
    if (isUnknownScript(error)) {
      this.#known.lost(script, known)
      passOn(this.sendScript(script, call, 'text'), listener)
    } else {
      listener.failed(error)
    }
  }

  /** Notes a new connection, by its stream: behind it may be another server. */
  #meet(): void {
    const { stream } = this.#client
    if (stream === this.#stream) return
    this.#stream = stream
    this.#known.forget()
    this.#commands = commandsOf(this.#client)
  }

  sendScript(script: Script, call: KeysAndArgs, form: ScriptForm): Promise<unknown> {
    const asked = { call, form }
    if (!holdsBack(this.#client)) return sendTo(this.#client, script, asked)
    const pipeline = this.#client.pipeline()
    sendTo(pipeline, script, asked)
    return outcomeOf(pipeline)
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

/**
 * Whether a client holds a command back until those before it are answered: for ever, where their connection is lost and they are not
 * sent again. An explicit pipeline goes out at once.
 */
function holdsBack({ options }: ServerClient): boolean {
  return options.enableAutoPipelining === true
}

async function outcomeOf(pipeline: Pipeline): Promise<unknown> {
  const [outcome] = (await pipeline.exec()) ?? []
  if (outcome === undefined) throw new Error('the client gave no answer')
  const [error, reply] = outcome
  if (error !== null) throw error
  return reply
}

interface FormedCall {
  readonly call: KeysAndArgs
  readonly form: ScriptForm
}

function sendTo<Reply>(
  commands: ScriptCommands<Reply>,
  { sha, text, bytes }: Script,
  { call: { keys, args }, form }: FormedCall,
): Reply {
  const [command, script] = form === 'text' ? (['eval', text] as const) : (['evalsha', sha] as const)
  return commands[bytes ? (`${command}Buffer` as const) : command](script, keys.length, ...keys, ...args)
}

export class IoredisConnection implements Connection {
  readonly #life: IoredisLifecycle<ServerClient>

  constructor(client: ServerClient | Promise<ServerClient>) {
    this.#life = new IoredisLifecycle(client)
  }

  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const client = this.#life.ready
    if (client !== undefined) return scriptsOf(client).run(script, { keys, args })
    return this.#runLater(script, { keys, args })
  }

  runFor(script: Script, call: KeysAndArgs, listener: ReplyListener): void {
    const client = this.#life.ready
    if (client !== undefined) scriptsOf(client).runFor(script, call, listener)
    else passOn(this.#runLater(script, call), listener)
  }

  async #runLater(script: Script, call: KeysAndArgs): Promise<unknown> {
    return scriptsOf(await this.#life.connected()).run(script, call)
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    const client = await this.#life.connected()
    return holdsBack(client)
      ? outcomeOf(client.pipeline().call(command, ...args))
      : client.call(command, ...args)
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
