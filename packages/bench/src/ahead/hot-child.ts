import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type Limiter, type Policy, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'
import { serve } from '../helper.ts'
import { disturbed } from '../rounds.ts'
import { type HotName, hotKey, hotLimiter, hotNames } from './hot-limiter.ts'

// Started by hotKeySections: one of the processes that ask for the same key.
const [url = ''] = process.argv.slice(2)
// Four processes share a core: a slow turn is not to be answered by the fallback.
const store = redisStore(new Redis(url), { deadline: '5s' })
const limiters = new Map<HotName, Limiter<{ default: Policy }>>()
for (const name of Object.keys(hotNames) as HotName[]) limiters.set(name, hotLimiter(name, store)) // its own keys

interface Load {
  readonly name: HotName
  readonly ms: number
}

export interface Asked {
  readonly checks: number
  /** Of them, those that were decided from units in hand. */
  readonly inHand: number
  readonly perSecond: number
}

/** As many at once: asked in one turn of the event loop, as requests are that have come in together. */
async function together(limiter: Limiter<{ default: Policy }>, count: number): Promise<void> {
  const decisions = await Promise.all(Array.from({ length: count }, () => limiter.check(hotKey)))
  for (const { allowed, source } of decisions)
    if (!allowed || source !== 'redis') throw disturbed('Not every answer came from Redis.')
}

function limiterOf(name: HotName): Limiter<{ default: Policy }> {
  const limiter = limiters.get(name)
  if (limiter === undefined) throw new Error(`No limiter ${name}.`)
  return limiter
}

function fromHand(limiter: Limiter<{ default: Policy }>): number {
  return limiter.health().ahead?.decisions ?? 0
}

const duties = {
  /** As fast as it goes. */
  async flood({ name, ms, atOnce }: Load & { readonly atOnce: number }): Promise<Asked> {
    const limiter = limiterOf(name)
    const before = fromHand(limiter)
    const startedAt = performance.now()
    let checks = 0
    let elapsedMs = 0
    for (; elapsedMs < ms; elapsedMs = performance.now() - startedAt) {
      await together(limiter, atOnce)
      checks += atOnce
      await nextTurn()
    }
    return { checks, inHand: fromHand(limiter) - before, perSecond: (checks * 1000) / elapsedMs }
  },

  /** At a steady rate, whether those before have been answered or not. */
  async arrive({ name, ms, perSecond }: Load & { readonly perSecond: number }): Promise<Asked> {
    const limiter = limiterOf(name)
    const before = fromHand(limiter)
    const startedAt = performance.now()
    const under: Promise<void>[] = []
    let checks = 0
    let elapsedMs = 0
    for (; elapsedMs < ms; elapsedMs = performance.now() - startedAt) {
      const due = Math.floor((elapsedMs * perSecond) / 1000) - checks
      if (due > 0) under.push(together(limiter, due))
      checks += Math.max(0, due)
      await pause(1)
    }
    await Promise.all(under)
    return { checks, inHand: fromHand(limiter) - before, perSecond: (checks * 1000) / elapsedMs }
  },
}

export type HotDuties = typeof duties

serve(duties)
