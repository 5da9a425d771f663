import { parseArgs } from 'node:util'
import { type Part, parts } from './parts.ts'

const list = parts.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')

export const usage: string = `Usage: npm run bench -- [flags]

Measures Sluice, as it is published, beside raw Redis commands, beside a bare Map and beside other libraries, in turns in one run.
Says which floors and targets are met. It builds the packages first, and starts a redis-server of its own on a free
port of loopback: the one on the PATH, or SLUICE_REDIS_SERVER.

  --only NAME  only that part; several may be named
  --quick      fewer and shorter rounds: a third of the time, a wider spread
  --json       the result as JSON instead of tables
  --write      also writes the tables into docs/performance.md, and docs/cost.md with its picture; needs all parts
  --help       this text

Parts:
${list}
`

export interface Flags {
  readonly parts: readonly Part[]
  readonly quick: boolean
  readonly json: boolean
  readonly write: boolean
  readonly help: boolean
}

/** Throws for a flag or a part that does not exist. */
export function readFlags(args: readonly string[]): Flags {
  const flag = { type: 'boolean', default: false } as const
  const only = { type: 'string', multiple: true, default: [] as string[] } as const
  const options = { only, quick: flag, json: flag, write: flag, help: { ...flag, short: 'h' } } as const
  const { only: names, ...flags } = parseArgs({ args: [...args], options }).values
  if (names.length > 0 && flags.write) throw new Error('--write needs all parts: leave out --only.')
  return { ...flags, parts: names.length === 0 ? parts : names.map(partNamed) }
}

function partNamed(name: string): Part {
  const part = parts.find((each) => each.name === name)
  if (part === undefined)
    throw new Error(`No part ${name}: there are ${parts.map((each) => each.name).join(', ')}.`)
  return part
}
