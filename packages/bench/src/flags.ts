import { parseArgs } from 'node:util'

export const usage = `Usage: bench [flags]

Measures Sluice beside raw Redis commands and beside a bare Map, in turns in one run, and says which targets are met.
It starts a redis-server of its own on a socket in a temporary folder: the one on the PATH, or SLUICE_REDIS_SERVER.

  --quick  fewer and shorter rounds: about 15 seconds, and a wider spread
  --json   the result as JSON instead of tables
  --write  also puts the tables into docs/performance.md
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
  const { values } = parseArgs({
    args: [...args],
    options: { quick: flag, json: flag, write: flag, help: { ...flag, short: 'h' } },
  })
  const { quick, json, write, help } = values
  return { quick, json, write, help }
}
