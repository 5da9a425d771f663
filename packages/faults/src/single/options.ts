import { parseArgs } from 'node:util'
import type { GuardedFault } from './guarded.ts'
import type { Part } from './lists/list.ts'

export const help = `Usage: npm run faults -- [options]

Puts single faults into a copy of the checkout, one after the other, and runs the test files that are meant to notice each.

  --only TEXT   only the faults of the part TEXT, or whose file or name contains it; may be given several times
  --from N      begins with the Nth of them, as where an earlier run was ended
  --trusted     does not run the test files without a fault first
  --list        prints the faults and their test files, and runs nothing
  --help        prints this

Before the faults the test files run without any, as a test that fails then would notice everything.
The last line is "N noticed, N not". Faults of outages: npm run simulate:faults
`

export interface Options {
  readonly only: readonly string[]
  /** The first that is played, counted from 1. */
  readonly from: number
  readonly trusted: boolean
  readonly list: boolean
  readonly help: boolean
}

/** Throws a sentence for the user. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      from: { type: 'string', default: '1' },
      trusted: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  })
  const from = Number(values.from)
  if (!Number.isInteger(from) || from < 1) {
    throw new Error(`--from must be a whole number of at least 1, not "${values.from}".`)
  }
  return { only: values.only, from, trusted: values.trusted, list: values.list, help: values.help }
}

/** The faults that are asked for; all where none is. */
export function chosenFaults(parts: readonly Part[], only: readonly string[]): readonly GuardedFault[] {
  return parts.flatMap(({ part, faults }) =>
    faults.filter(({ file, name }) => {
      return only.length === 0 || only.some((text) => part === text || `${file} ${name}`.includes(text))
    }),
  )
}
