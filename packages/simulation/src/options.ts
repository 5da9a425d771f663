import { parseArgs } from 'node:util'

export const help = `Usage: npm run simulate -- [options]

Plays outages in virtual time, each history by its seed, and checks what must hold in each.

  --seeds N     how many histories (default 10000)
  --from N      the first seed (default 1; "now": one that was hardly played before)
  --minutes M   ends after that time, however many were played
  --seed S      plays one history, and prints all that happens in it
  --fixed       the histories that once broke an invariant, then the seeds
  --plan FILE   plays the history of a file, as a failure prints it
`

export interface Options {
  readonly seeds: number
  readonly from: number
  readonly minutes: number
  readonly seed: number | undefined
  readonly fixed: boolean
  readonly plan: string | undefined
  readonly help: boolean
}

/** Throws a sentence for the user. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      plan: { type: 'string' },
      fixed: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  })
  const from = values.from === 'now' ? Date.now() % 2 ** 31 : whole(values.from, '--from', 1)
  return {
    seeds: whole(values.seeds, '--seeds', values.minutes === undefined ? 10_000 : 2 ** 31),
    from,
    minutes: whole(values.minutes, '--minutes', 24 * 60),
    seed: values.seed === undefined ? undefined : whole(values.seed, '--seed', 0),
    fixed: values.fixed,
    plan: values.plan,
    help: values.help,
  }
}

/** Throws a sentence for the user. */
export function whole(text: string | undefined, name: string, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`${name} takes a whole number, not "${text}"`)
}
