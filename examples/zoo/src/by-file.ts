import type { Decision } from '@sluice/core'
import { decisions } from '@sluice/core/internal'
import { describeProblem, type Explained, isLimitsError, type Limits, loadLimits } from '@sluice/limits'
import type { Attraction } from './attractions.ts'
import { chartOf } from './chart.ts'
import { Complaint } from './complaint.ts'
import {
  type Count,
  type Counter,
  type Counting,
  type CountingSettings,
  leftOf,
  windowIn,
} from './counting.ts'
import { limitsNews, type Terminal } from './limits-news.ts'
import { wordsOf } from './limits-words.ts'

/** The path name for "each visitor": a name without its own entry. */
const anybody = '*'

/** Counts with the limits of a file, which may change at any time. Rejects with a Complaint that contains all problems. */
export async function countByFile(
  file: string,
  { terminal, ...settings }: CountingSettings & { terminal: Terminal },
): Promise<Counting> {
  const limits = await load({ ...settings, file, onReload: limitsNews(file, terminal) })
  return {
    counterOf: (attraction) => counterOf(attraction, limits),
    limiters: () => [limits],
    close: () => limits.close(),
  }
}

async function load(options: Parameters<typeof loadLimits>[0]): Promise<Limits> {
  try {
    return await loadLimits(options)
  } catch (error) {
    if (!isLimitsError(error)) throw error
    throw new Complaint(2, error.problems.map(describeProblem).join('\n'))
  }
}

function counterOf({ id, price = 1, inParts }: Attraction, limits: Limits): Counter {
  const place = ['attraction', id]
  const placeOf = (visitor: string) => [...place, 'visitor', visitor]
  return {
    limiter: limits as Counter['limiter'], // asked by paths alone, as the next line says
    // A gate per visitor counts purchases, whatever their cost; everything else counts tickets.
    questionOf: ({ visitor, quantity }) => ({
      key: placeOf(visitor),
      cost: quantity * price,
      note: visitor,
      ...(inParts && { take: 'up-to' }),
    }),
    async look(visitor) {
      const everybodys = holding(limits, place)
      const own = holding(limits, placeOf(visitor ?? anybody)).filter(({ level }) => !has(everybodys, level))
      const decision = await limits.peek(place, { note: visitor ?? undefined })
      const [first] = everybodys
      const chart = first === undefined ? null : chartIn(decision, first.level, `${place.join('/')}/`)
      const left = everybodys.length === 0 ? unlimited : leftOf(decision)
      const gate = visitor === null || own.length === 0 ? null : await gateOf(limits, placeOf(visitor), own)
      const inWindow = windowIn(wordsOf(everybodys, []).rule, left.limit)
      const count = { ...wordsOf(everybodys, own), chart, ...left, inWindow, visitor: gate }
      return { count, source: decision.source }
    },
  }
}

/** The chart of one of the limits that were asked; null for one that was not, such as a denial. */
function chartIn(decision: Decision, policy: string, gates: string): Count['chart'] {
  const asked = decisions.verdictsBehind(decision).find(({ check }) => check.lane.name === policy)
  return asked ? chartOf({ limiter: decision.limiter, policy, gates }, asked.check.policy) : null
}

const unlimited = { limit: null, left: null, againInMs: null, allFreeInMs: 0 }

/** The limits that can refuse an order. */
function holding(limits: Limits, path: readonly string[]): readonly Explained[] {
  return limits.explain(path).filter(({ policy, shadow }) => policy !== 'unlimited' && !shadow)
}

function has(levels: readonly Explained[], name: string): boolean {
  return levels.some(({ level }) => level === name)
}

/** The verdict of a visitor's own limits, without those for everybody. */
async function gateOf(
  limits: Limits,
  path: readonly string[],
  own: readonly Explained[],
): Promise<Count['visitor']> {
  const { verdicts } = await limits.peek(path)
  const waitsMs = own.flatMap(({ level }) => {
    const verdict = verdicts[level]
    return verdict === undefined || verdict.allowed ? [] : [verdict.retryAfterMs ?? Number.POSITIVE_INFINITY]
  })
  const longestMs = Math.max(...waitsMs)
  return { mayBuy: waitsMs.length === 0, againInMs: Number.isFinite(longestMs) ? longestMs : null }
}
