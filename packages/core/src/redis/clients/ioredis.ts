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
import {
  IoredisLifecycle,
  type Pipeline,
  type ScriptCommands,
  type ServerClient,
} from './ioredis-lifecycle.ts'

/** A client that takes commands which are not of its own class. */
interface CommandClient {
  sendCommand(command: DigestCommand): unknown
}

/**
 * A script call by digest in place of ioredis' own Command, which does for each call what only other commands need: it looks for a
 * prefix and for buffers, and converts the reply, for a tenth of a check's time in Node. Its members are those that the client asks a
 * command for, and those that tracers read or replace.
 */
export class DigestCommand {
  declare readonly name: 'evalsha'
  /** For code that watches commands: nothing of ours waits for it. */
  declare readonly promise: Promise<unknown>
  declare readonly inTransaction: false
  declare isTraced: boolean
  declare isSettled: boolean
  /** Functions of this object alone: tracers replace them by their own, and call these without a `this`. */
  declare resolve: (reply: unknown) => void
  declare reject: (error: unknown) => void
  declare readonly script: Script
  declare readonly call: KeysAndArgs
  declare readonly listener: ReplyListener
  /** The digests that the server knew when the call was sent. */
  declare readonly known: ReadonlySet<string>

  constructor(
    script: Script,
    call: KeysAndArgs,
    about: Pick<DigestCommand, 'listener' | 'known'> & { readonly sender: Pick<IoredisScripts, 'failed'> },
  ) {
    const { listener, known, sender } = about
    this.name = 'evalsha'
    this.inTransaction = false
    this.isTraced = false
    this.isSettled = false
    this.script = script
    this.call = call
    this.listener = listener
    this.known = known
    this.promise = new Promise((resolve, reject) => {
      // Constants first: V8 allocates a function among the old objects if it is assigned to a member as it is made. From there it would
      // keep its check, and later ones, alive until a full collection.
      const heard = (reply: unknown) => {
        this.isSettled = true
        const value = script.bytes ? reply : textsOf(reply)
        // Code that watches the command hears of the reply first.
        resolve(value)
        listener.heard(value)
      }
      const failed = (error: unknown) => {
        this.isSettled = true
        // A client may refuse a command while it is being sent, and nobody is answered before that has returned.
        this.promise.catch(() => sender.failed(this, error))
        reject(error)
      }
      this.resolve = heard
      this.reject = failed
    })
  }

  get args(): readonly unknown[] {
    const { keys, args } = this.call
    return [this.script.sha, keys.length, ...keys, ...args]
  }

  toWritable(): string {
    const { keys, args } = this.call
    let text = headOf(this.script, keys.length, args.length)
    for (let i = 0; i < keys.length; i++) text += bulk(keys[i] ?? '')
    for (let i = 0; i < args.length; i++) text += bulk(String(args[i]))
    return text
  }

  /** Says by which version of the protocol the command is answered: scripts of ours answer the same by each. */
  setReplyContext(): void {}

  /** undefined, as the command waits for nothing on the server. */
  extractBlockingTimeout(): undefined {}
}

function ignore(): void {}

/** The text before the keys of the latest call of a script: most calls of one script have as many keys and arguments. */
interface Head {
  readonly keys: number
  readonly args: number
  readonly text: string
}

const heads = new WeakMap<Script, Head>()

function headOf(script: Script, keys: number, args: number): string {
  const known = heads.get(script)
  if (known !== undefined && known.keys === keys && known.args === args) return known.text
  const count = String(keys)
  const joined = `*${3 + keys + args}\r\n$7\r\nevalsha\r\n$40\r\n${script.sha}\r\n$${count.length}\r\n${count}\r\n`
  // Makes it one piece: a text that V8 has joined of several it would copy piece by piece for each call.
  const text = Buffer.from(joined, 'latin1').toString('latin1')
  heads.set(script, { keys, args, text })
  return text
}

/** A text as the protocol carries it. A lone surrogate is written, and counted, as the replacement character. */
function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}

/** A reply with texts in the place of buffers. */
function textsOf(reply: unknown): unknown {
  if (typeof reply !== 'object') return reply
  if (Buffer.isBuffer(reply)) return reply.toString()
  if (Array.isArray(reply)) for (let i = 0; i < reply.length; i++) reply[i] = textsOf(reply[i])
  return reply
}

/** The members of ioredis' commands, 5 and 6. A version whose commands have others may ask a command for them. */
const members: ReadonlySet<string> = new Set(
  (
    'constructor name args promise resolve reject callback toWritable initPromise ' +
    'inTransaction isTraced isResolved isSettled isReadOnly isCustomCommand pipelineIndex ' +
    'getSlot getKeys slot keys _iterateKeys stringifyArguments bufferMode errorStack ' +
    'transformReply transformed _convertValue replyEncoding ignore ' +
    'setReplyContext protocol replyMapping setTimeout _commandTimeoutTimer _clearTimers ' +
    'setBlockingTimeout _blockingTimeoutTimer _blockingDeadline extractBlockingTimeout'
  ).split(' '),
)
const probe = ['sha', 1, 'key', 'argument'] as const

/** The command that this client's own `evalsha` sends; undefined: none, or not at once. */
function ownCommand(client: ServerClient): unknown {
  let sent: unknown
  const sendCommand = (command: unknown) => {
    sent = command
    return Promise.resolve()
  }
  const watched: ServerClient = Object.create(client, { sendCommand: { value: sendCommand } })
  try {
    watched.evalsha(...probe).catch(ignore)
  } catch {
    return undefined
  }
  return sent
}

/** Whether DigestCommand can stand for such a command, and settings of the client have not changed it. */
function isKnown(command: unknown): boolean {
  if (typeof command !== 'object' || command === null) return false
  const { name, args, errorStack } = command as { name?: unknown; args?: unknown; errorStack?: unknown } // looked at
  const names = [
    Object.getOwnPropertyNames(command),
    Object.getOwnPropertyNames(Object.getPrototypeOf(command)),
  ]
  if (name !== 'evalsha' || errorStack !== undefined || !names.flat().every((each) => members.has(each)))
    return false
  return (
    Array.isArray(args) &&
    args.length === probe.length &&
    probe.every((each, i) => String(args[i]) === String(each))
  )
}

/** The object from which a client has a method: itself or a prototype. */
function holderOf(client: object, method: string): object | null {
  let holder: object | null = client
  while (holder !== null && !Object.hasOwn(holder, method)) holder = Object.getPrototypeOf(holder)
  return holder
}

/**
 * The client as one that takes commands of ours, which ioredis does not promise. undefined unless its own commands are known, no
 * setting concerns them, and its `evalsha` was not replaced.
 */
function commandsOf(client: ServerClient): CommandClient | undefined {
  const { commandTimeout, enableAutoPipelining } = client.options
  if (commandTimeout !== undefined || enableAutoPipelining === true) return undefined
  if (holderOf(client, 'evalsha') !== holderOf(client, 'incr')) return undefined
  return isKnown(ownCommand(client)) ? (client as ServerClient & CommandClient) : undefined // it sends such commands itself
}

class IoredisScripts implements ScriptSender<KeysAndArgs> {
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

function sendTo<Reply>(
  commands: ScriptCommands<Reply>,
  { sha, text, bytes }: Script,
  { call: { keys, args }, form }: { call: KeysAndArgs; form: ScriptForm },
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
