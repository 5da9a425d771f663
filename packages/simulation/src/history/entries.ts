import type { Sent } from '../link/stream.ts'
import type { Words } from '../server/calls.ts'
import type { EntryRecord } from './record.ts'

/** What became of an entry, without the facts of the call, which all entries of a call share. */
type Became = Pick<EntryRecord, 'kind' | 'ticket' | 'attempt'>

const nothing: readonly never[] = []

/** What a call has done with entries of the queue: those that it has accepted, handed out, given back or ended. */
export function entriesOf(process: number, sent: Sent, ranUs: number): readonly EntryRecord[] {
  const { command, ran } = sent
  if (command.name !== 'script' || ran === undefined) return nothing
  const became = becameOf(command.script.kind, command.words, ran.reply)
  return became === nothing ? nothing : became.map((each) => ({ ...each, process, sent, ranUs }))
}

function becameOf(kind: string, { args }: Words, reply: unknown): readonly Became[] {
  const said: readonly unknown[] = Array.isArray(reply) ? reply : []
  switch (kind) {
    case 'queue: offer':
      return said[1] === 1 ? [{ kind: 'accepted', ticket: args[2] ?? '', attempt: 0 }] : nothing
    case 'queue: finish': {
      const [, , attempt, ticket = '', state] = args
      if (reply !== 'ok' || (state !== 'done' && state !== 'failed')) return nothing
      return [{ kind: state, ticket, attempt: Number(attempt) }]
    }
    case 'list: offer':
      return said[1] === 1 ? [{ kind: 'accepted', ticket: `${args[2]}${said.at(-1)}`, attempt: 0 }] : nothing
    case 'list: pop':
      return said
        .slice(1)
        .flat()
        .map((entry) => ({ kind: 'taken', ticket: ticketIn(entry), attempt: 1 }))
    case 'list: read':
      return [{ kind: 'taken', ticket: ticketIn(said[1]), attempt: 1 }]
    case 'list: return':
      return args.map((entry) => ({ kind: 'back', ticket: ticketIn(entry), attempt: 1 }))
    default:
      return nothing
  }
}

/** The ticket in an entry of a list: "MS.TICKET.JOB". */
function ticketIn(entry: unknown): string {
  return String(entry).split('.')[1] ?? ''
}

const changes: Readonly<Record<EntryRecord['kind'], 1 | -1>> = {
  accepted: 1,
  back: 1,
  taken: -1,
  done: -1,
  failed: -1,
}

/** By how many entries this record has made the queue longer. */
export function changeBy({ kind }: EntryRecord): number {
  return changes[kind]
}
