import type { Sent } from '../link/stream.ts'
import type { EntryRecord } from './record.ts'

/** What a call has done with an entry of the queue, if it has begun or ended one. */
export function entryOf(
  process: number,
  { command, sentUs, ran }: Sent,
  ranUs: number,
): EntryRecord | undefined {
  if (command.name !== 'script' || ran === undefined) return undefined
  const { args } = command.words
  if (command.script.kind === 'queue: offer') {
    const isAccepted = Array.isArray(ran.reply) && ran.reply[1] === 1
    if (!isAccepted) return undefined
    return { kind: 'accepted', process, ticket: args[2] ?? '', attempt: 0, sentUs, ranUs }
  }
  if (command.script.kind !== 'queue: finish' || ran.reply !== 'ok') return undefined
  const [, , attempt, ticket = '', state] = args
  if (state !== 'done' && state !== 'failed') return undefined
  return { kind: state, process, ticket, attempt: Number(attempt), sentUs, ranUs }
}
