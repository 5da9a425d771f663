import type { KeysAndArgs, ReplyListener, Script } from '../connection.ts'
import type { ServerClient } from './ioredis-lifecycle.ts'

/** A client that takes commands which are not of its own class. */
export interface CommandClient {
  sendCommand(command: DigestCommand): unknown
}

/** Hears of calls by digest that have failed. */
export interface DigestSender {
  failed(command: DigestCommand, error: unknown): void
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
    about: Pick<DigestCommand, 'listener' | 'known'> & { readonly sender: DigestSender },
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
export function commandsOf(client: ServerClient): CommandClient | undefined {
  const { commandTimeout, enableAutoPipelining } = client.options
  if (commandTimeout !== undefined || enableAutoPipelining === true) return undefined
  if (holderOf(client, 'evalsha') !== holderOf(client, 'incr')) return undefined
  return isKnown(ownCommand(client)) ? (client as ServerClient & CommandClient) : undefined // it sends such commands itself
}
