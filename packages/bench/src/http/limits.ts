import { createRequire } from 'node:module'
import type { Logger, Policy, Store } from '@sluice/core'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { loadSluice } from '../asking/sluice.ts'
import { type Form, type Place, wideLimit } from '../asking/work.ts'
import { flexibleAt } from '../others/rate-limiter-flexible.ts'
import { numbers } from '../policies.ts'
import { silent } from '../silent.ts'

export type Framework = 'Express' | 'Fastify' | 'Koa'
/** `own`: the library that is made for the framework. */
export type Limiting = 'bare' | 'Sluice' | 'Sluice, CommonJS' | 'own' | 'rate-limiter-flexible'

export const host = '127.0.0.1'

const require = createRequire(import.meta.url)

interface SluiceOptions {
  readonly policy: Policy
  readonly store: Store
  readonly logger: Logger
  /** So that an answer without Redis shows as an error. */
  readonly onStoreFailure: 'deny'
}

/** The options of Sluice's middleware, and its package: `adapter` as this program imports it. */
export async function sluiceOf<A>(
  limiting: Limiting,
  { place, name, adapter }: { place: Place; name: string; adapter: () => Promise<A> },
): Promise<{ adapter: A; options: SluiceOptions }> {
  const form: Form = limiting === 'Sluice' ? 'esm' : 'cjs'
  const { fixedWindow, memoryStore, redisStore } = await loadSluice(form)
  const store = place.kind === 'memory' ? memoryStore() : redisStore(place.client)
  return {
    // The same package in its other form.
    adapter: form === 'esm' ? await adapter() : (require(name) as A),
    options: { policy: fixedWindow(numbers.wide.counter), store, logger: silent, onStoreFailure: 'deny' },
  }
}

export function flexible(place: Place): RateLimiterAbstract {
  return flexibleAt(place, { points: wideLimit, keyPrefix: 'http' })
}

/** The fields that its documentation sets by hand. */
export function flexibleFields({
  msBeforeNext,
  remainingPoints,
}: RateLimiterRes): readonly (readonly [string, string])[] {
  return [
    ['Retry-After', String(msBeforeNext / 1000)],
    ['X-RateLimit-Limit', String(wideLimit)],
    ['X-RateLimit-Remaining', String(remainingPoints)],
    ['X-RateLimit-Reset', String(Math.ceil((Date.now() + msBeforeNext) / 1000))],
  ]
}
