import { parseArgs } from 'node:util'

export const usage = `Usage: npm run bench:serve:half -- [flags]

Finds out how much the service can do over gRPC and over HTTP, and then asks half of that for a minute, with a core each for client
and service: errors, median and 99th percentile of the time of an answer, and the CPU of the service for a request. It needs a
machine that does nothing else.

  --seconds N  ask for so long, to try it out (60)
  --write      also writes the table into docs/serve.md; not with --seconds, nor where a process cannot be kept on a core
  --help       this text
`

export interface Flags {
  readonly seconds: number
  readonly write: boolean
  readonly help: boolean
}

/** Throws for a flag that does not exist. */
export function readFlags(args: readonly string[]): Flags {
  const flag = { type: 'boolean', default: false } as const
  const options = { seconds: { type: 'string' }, write: flag, help: { ...flag, short: 'h' } } as const
  const { seconds: given, ...flags } = parseArgs({ args: [...args], options }).values
  const seconds = Number(given ?? 60)
  if (!(seconds > 0)) throw new Error(`--seconds: expected a number above 0, got ${given}.`)
  if (given !== undefined && flags.write)
    throw new Error('--write needs the whole minute: leave out --seconds.')
  return { seconds, ...flags }
}
