import type { Caller, Exchange } from '../../src/trial/exchange.ts'
import { boundsOf } from '../../src/trial/judge/bounds.ts'
import type { Course } from '../../src/trial/judge/course.ts'
import type { Machine } from '../../src/trial/load/machine.ts'
import { type OnStoreFailure, rules } from '../../src/trial/settings.ts'

const ruleOf = { 'first-time': 'hour', exhausted: 'hour', hoarding: 'hour', busy: 'second' } as const

/** A request that was sent then and answered a millisecond later: admitted by Redis, unless something else is said. */
export function asked(caller: Caller, sentAtMs: number, said: Partial<Exchange> = {}): Exchange {
  const rule = ruleOf[caller]
  const { limit } = rules[rule]
  const fields = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1',
  }
  return {
    caller,
    rule,
    key: caller === 'first-time' ? `10.0.0.${sentAtMs}` : caller,
    framework: 'koa',
    server: 0,
    dueAtMs: sentAtMs,
    sentAtMs,
    answeredAtMs: sentAtMs + 1,
    waitMs: 1,
    stalledMs: 0,
    status: 200,
    text: 'redis',
    fields: said.status === 429 ? { ...fields, 'retry-after': '1' } : fields,
    ...said,
  }
}

export function refused(caller: Caller, sentAtMs: number): Exchange {
  return asked(caller, sentAtMs, { status: 429, text: '' })
}

/** So many requests, one each millisecond. */
export function row(times: number, caller: Caller, fromMs: number): readonly Exchange[] {
  return Array.from({ length: times }, (_, i) => asked(caller, fromMs + i))
}

/** Nobody waited for a core, and the servers did little. */
export const quiet: Machine = { longestStallMs: 20, mostOfOne: 0.1, mostOfAll: 0.15 }

const endMs = 12_000

/** Twenty a second, of which Redis admits the first ten. */
function busy(): readonly Exchange[] {
  return Array.from({ length: endMs / 50 }, (_, i) => {
    return i % 20 < rules.second.limit ? asked('busy', i * 50) : refused('busy', i * 50)
  })
}

/** A trial in which all goes well: warm after a second, trouble from 2000 to 4000, judged until 12,000. */
export function course(choice: OnStoreFailure = 'local', changes: Partial<Course> = {}): Course {
  return {
    exchanges: [
      ...busy(),
      ...row(rules.hour.limit, 'exhausted', 0),
      ...Array.from({ length: 11 }, (_, i) => refused('exhausted', 1000 + i * 1000)),
      ...row(rules.hour.limit, 'hoarding', 1500),
      ...Array.from({ length: 12 }, (_, i) => asked('first-time', i * 1000)),
      asked('first-time', 2001, { text: 'fallback' }),
    ],
    warmAtMs: 1000,
    befellAtMs: 2000,
    endingAtMs: 4000,
    mendedAtMs: 4000,
    choice,
    forgets: false,
    sees: 'outage',
    healths: [
      { status: 'ok', fallbackDecisions: 10 },
      { status: 'ok', fallbackDecisions: 10 },
    ],
    ends: [undefined, undefined],
    machine: quiet,
    bounds: boundsOf(choice),
    ...changes,
  }
}

/** The same, with further requests. */
export function courseWith(
  more: readonly Exchange[],
  choice?: OnStoreFailure,
  changes?: Partial<Course>,
): Course {
  const made = course(choice, changes)
  return { ...made, exchanges: [...made.exchanges, ...more] }
}

/** The same, with one request answered otherwise. */
export function courseWhere(caller: Caller, atMs: number, said: Partial<Exchange>): Course {
  const made = course()
  const exchanges = made.exchanges.map((exchange) => {
    return exchange.caller === caller && exchange.sentAtMs === atMs ? { ...exchange, ...said } : exchange
  })
  return { ...made, exchanges }
}
