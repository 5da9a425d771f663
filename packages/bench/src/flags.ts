import { parseArgs } from 'node:util'

export const usage = `Usage: bench [flags]

Measures Sluice beside raw Redis commands and beside a bare Map, in turns in one run, and says which targets are met.
It starts a redis-server of its own on a socket in a temporary folder: the one on the PATH, or SLUICE_REDIS_SERVER.

  --quick  fewer and shorter rounds: a quarter of the time, a wider spread
  --json   the result as JSON instead of tables
  --write  also writes the tables into docs/performance.md
  --help   this text
`

export interface Flags {
  readonly quick: boolean
  readonly json: boolean
  readonly write: boolean
  readonly help: boolean
}

/** Throws for a flag that does not exist. */
export function readFlags(args: readonly string[]): Flags {
  const flag = { type: 'boolean', default: false } as const
  const options = { quick: flag, json: flag, write: flag, help: { ...flag, short: 'h' } } as const
  return parseArgs({ args: [...args], options }).values
}
