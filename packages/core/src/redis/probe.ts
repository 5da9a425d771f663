import { integerOf, malformed } from './reply.ts'
import { type Script, scriptOf } from './script.ts'
import type { CallParts, ScriptCall } from './wire.ts'

/** It writes, as decisions do: a replica, a full server, or one that forbids scripts tells its time all the same. */
export const probeScript: Script = scriptOf("redis.call('PSETEX', KEYS[1], 1, '') return 1")

/** With a key that no state has, each time in another slot of a cluster. */
export function probeCall({ prefix, nextCall }: CallParts): ScriptCall {
  return { keys: [`${prefix}{%p${nextCall()}}`], args: [] }
}

export function checkProbed(reply: unknown): void {
  if (integerOf(reply) !== 1) throw malformed()
}
