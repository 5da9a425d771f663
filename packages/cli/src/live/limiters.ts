import type { Inspection, Key, Limiter, Lists, Policies } from '@sluice/core'
import { didYouMean } from '@sluice/core/internal'
import { isClientNetwork } from '@sluice/http/internal'
import type { Rebuilt, RunningProcess } from '@sluice/operations'
import { UsageError } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import { keyBy, keyText, type TypedKey } from './keys.ts'
import type { Session } from './session.ts'

/** The limiters that a command is about, or undefined where no process runs. */
export async function limitersFor(
  { redis, reader }: Session,
  only: string | undefined,
  lists?: Lists,
): Promise<Rebuilt | undefined> {
  const processes = await reader.processes()
  if (processes.length === 0) return undefined
  const { rebuildLimiters } = await import('@sluice/operations')
  const rebuilt = rebuildLimiters(processes, redis, lists)
  if (only === undefined) return rebuilt
  const limiters = rebuilt.limiters.filter(({ name }) => name === only)
  const left = rebuilt.left.filter(({ name }) => name === only)
  if (limiters.length + left.length > 0) return { ...rebuilt, limiters, left }
  const names = [...rebuilt.limiters, ...rebuilt.left].map(({ name }) => name)
  await rebuilt.close()
  throw new UsageError(`--limiter: ${unknown(only, names)}`)
}

function unknown(name: string, names: readonly string[]): string {
  const hint = didYouMean(name, names, `there are ${names.slice(0, 10).join(', ')}`)
  return `no running process has a limiter "${name}"${hint}`
}

/** Reports the limiters that cannot be reached, so that nobody takes an act on them for done. */
export function sayLeft({ left }: Rebuilt): void {
  for (const { name, why } of left) console.error(oneLine(`not included: ${name}: ${why}`))
}

/** Reports the limiters whose lists are kept by their process, and cannot be read from here. */
export function sayOwnLists({ limiters, ownLists }: Rebuilt): void {
  const names = new Set(limiters.map(({ name }) => name))
  for (const name of ownLists)
    if (names.has(name))
      console.error(
        oneLine(`${name} also obeys lists of its own process, such as a file: what they say is not included`),
      )
}

/** What one limiter knows of a typed key. */
export interface Sight {
  readonly limiter: Limiter<Policies>
  /** The key as this limiter has it. */
  readonly key: Key
  readonly policies: readonly (readonly [string, Inspection])[]
  /** Whether requests have this key, as far as can be seen: the key has counts, or is a client's network where the limiter counts these. */
  readonly known: boolean
  /** Whether the limiter's keys are networks of clients, and this is none. */
  readonly foreign: boolean
}

export async function inspected(
  { limiters, networkBits }: Rebuilt,
  typed: TypedKey,
): Promise<readonly Sight[]> {
  return Promise.all(
    limiters.map(async (limiter) => {
      const bits = networkBits.get(limiter)
      const key = keyBy(typed, bits)
      const seen = Object.entries(await limiter.inspect(key))
      const policies = seen.flatMap(([name, each]) => (each === undefined ? [] : [[name, each] as const]))
      const isClient = bits !== undefined && isClientNetwork(key, bits)
      const known = isClient || policies.some(([, each]) => hasCounts(each))
      return { limiter, key, policies, known, foreign: bits !== undefined && !known }
    }),
  )
}

/** Whether a process has lately refused one of these keys, or seen it near its limit: a count that has run out since says nothing of it. */
export function wereSeen(processes: readonly RunningProcess[], sights: readonly Sight[]): boolean {
  const names = new Set(sights.map(({ limiter, key }) => placeText(limiter.name, key)))
  const policies = processes.flatMap(({ seen }) => seen?.policies ?? [])
  return policies.some(({ limiter, top, near }) =>
    [...top, ...near].some(({ key }) => names.has(placeText(limiter, key))),
  )
}

function placeText(limiter: string, key: Key): string {
  return JSON.stringify([limiter, keyText(key)])
}

function hasCounts({ limit, remaining, blockedMs, blocks, entries }: Inspection): boolean {
  return remaining < limit || blockedMs !== null || blocks > 0 || entries.length > 0
}

/** `login`, or `login.visitor` where a limiter has several policies. */
export function placeName({ name, policies }: Limiter<Policies>, policy: string): string {
  return Object.keys(policies).length === 1 ? name : `${name}.${policy}`
}
