import type { Inspection, Limiter, Lists } from '@sluice/core'
import { nearest } from '@sluice/core/internal'
import type { Rebuilt } from '@sluice/operations'
import { UsageError } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'
import type { Session } from './session.ts'

/** The limiters that a command is about, or undefined where no process is there. */
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
  const near = nearest(name, names)
  const hint = near === undefined ? `there are ${names.slice(0, 10).join(', ')}` : `did you mean "${near}"?`
  return `no running process has a limiter "${name}" (${hint})`
}

/** What cannot be reached is said, so that nobody takes it for done. */
export function sayLeft({ left }: Rebuilt): void {
  for (const { name, why } of left) console.error(oneLine(`not included: ${name}: ${why}`))
}

/** Which lists of a process cannot be read from here. */
export function sayOwnLists({ limiters, ownLists }: Rebuilt): void {
  const names = new Set(limiters.map(({ name }) => name))
  for (const name of ownLists)
    if (names.has(name))
      console.error(
        oneLine(`${name} also obeys lists of its own process, such as a file: what they say is not included`),
      )
}

export interface Sight {
  readonly limiter: Limiter
  readonly policies: readonly (readonly [string, Inspection])[]
}

export async function inspected(
  limiters: readonly Limiter[],
  key: Parameters<Limiter['inspect']>[0],
): Promise<readonly Sight[]> {
  return Promise.all(
    limiters.map(async (limiter) => {
      const seen = Object.entries(await limiter.inspect(key))
      return {
        limiter,
        policies: seen.flatMap(([name, each]) => (each === undefined ? [] : [[name, each] as const])),
      }
    }),
  )
}

/** `login`, or `login.visitor` where a limiter has several policies. */
export function placeName({ name, policies }: Limiter, policy: string): string {
  return Object.keys(policies).length === 1 ? name : `${name}.${policy}`
}
