import { type Argument, isUnknownScript } from './connection.ts'
import type { ScriptCommands, ServerClient } from './ioredis-life.ts'
import type { Script } from './script.ts'

interface CallOf {
  readonly keys: readonly string[]
  readonly args: readonly Argument[]
}

/** `again`: called before the text is sent, where the server does not know the script. */
export async function runOnIoredis(
  client: ServerClient,
  script: Script,
  call: CallOf,
  again?: () => void,
): Promise<unknown> {
  try {
    return await atOnce(client, (commands) => bySha(commands, script, call))
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    again?.()
    return atOnce(client, (commands) => byText(commands, script, call))
  }
}

/** A client with `enableAutoPipelining` holds a command back until those before it are answered; a pipeline of one's own goes out. */
async function atOnce<T>(
  client: ServerClient,
  run: (commands: ScriptCommands<unknown>) => T | Promise<T>,
): Promise<unknown> {
  if (client.options.enableAutoPipelining !== true) return run(client)
  const pipeline = client.pipeline()
  void run(pipeline)
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
