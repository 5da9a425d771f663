import { concurrency, createLimiter, type Duration, type Limiter, type Policy } from '@sluice/core'
import type { Options } from './site.ts'
import type { World } from './world.ts'

export type Slots = Limiter<{ readonly default: Policy<'line'> }>

/** A limiter with this many places in flight, and options that make every request take a place of bob's. */
export function slots(
  world: World,
  { limit, lease = '30s' }: { readonly limit: number; readonly lease?: Duration },
  more: Partial<Options> = {},
): { readonly limiter: Slots; readonly options: Options } {
  const policy = concurrency({ limit, lease })
  const limiter = createLimiter({ ...world.quiet(), name: 'slots', policy })
  return { limiter, options: { limiter, key: () => 'bob', ...more } as Options }
}

/** Places that bob has left. */
export async function left(limiter: Pick<Slots, 'peek'>): Promise<number> {
  return (await limiter.peek('bob')).remaining
}

/** Both ends of a connection are in this process: turns bring on what one of them has not heard of yet. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

export function untilLeft(limiter: Pick<Slots, 'peek'>, places: number): Promise<void> {
  return until(async () => (await left(limiter)) === places)
}
