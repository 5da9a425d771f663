import type { LibraryName } from './libraries.ts'
import type { ClientName, Work } from './work.ts'

export const baseRow = { redis: 'INCR', memory: 'a Map' }
export const sluiceRow = { counter: 'Sluice, counter', gcra: 'Sluice, GCRA' }

/** A row: what one library is asked, and through which client. */
export interface Asked {
  readonly name: string
  readonly library: LibraryName
  /** @default memory */
  readonly client?: ClientName
  readonly work: Work
}

type About = Omit<Work, 'strategy'> & { readonly client?: ClientName }

const counters: readonly LibraryName[] = [
  'rate-limiter-flexible',
  'rate-limiter-flexible, block cache',
  'express-rate-limit',
  '@fastify/rate-limit',
  'koa-ratelimit',
]

/** Whether a row is of another library: neither of Sluice nor of the bare work beside it. */
export function isOther(row: string): boolean {
  return ![...Object.values(baseRow), 'Sluice', '@sluice/', 'bare '].some((ours) => row.startsWith(ours))
}

/** The least, in the process and over the connection of Sluice. */
export function baseOf({ client, ...about }: About): Asked {
  const name = client === undefined ? baseRow.memory : baseRow.redis
  return { name, library: 'Sluice', work: { ...about, strategy: 'raw' }, ...(client && { client }) }
}

function row(
  name: string,
  library: LibraryName,
  { client, ...work }: About & { strategy: Work['strategy'] },
): Asked {
  return { name, library, work, ...(client && { client }) }
}

export function ofSluice(about: About): readonly Asked[] {
  return [
    row(sluiceRow.counter, 'Sluice', { ...about, strategy: 'counter' }),
    row(sluiceRow.gcra, 'Sluice', { ...about, strategy: 'gcra' }),
  ]
}

/** The same package as CommonJS. */
function ofCommonJs(about: About): readonly Asked[] {
  return ofSluice(about).map((each) => ({
    ...each,
    name: `${each.name}, CommonJS`,
    library: 'Sluice, CommonJS',
  }))
}

export function ofOthers(about: About): readonly Asked[] {
  return [
    ...counters.map((library) => row(library, library, { ...about, strategy: 'counter' })),
    row('@upstash/ratelimit, fixed window', '@upstash/ratelimit', { ...about, strategy: 'counter' }),
    row('@upstash/ratelimit, token bucket', '@upstash/ratelimit', { ...about, strategy: 'gcra' }),
  ]
}

export function everyRow(about: About): readonly Asked[] {
  return [baseOf(about), ...ofSluice(about), ...ofCommonJs(about), ...ofOthers(about)]
}
