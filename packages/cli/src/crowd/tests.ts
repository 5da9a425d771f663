import { nearest } from '@sluice/core/internal'
import type { PolicyOrder } from '../endpoint/index.ts'
import { UsageError } from '../exit-code.ts'
import type { Crowd } from './plan.ts'
import { windowMs } from './window.ts'

/** What the endpoint is told of one test. */
export interface Rule {
  readonly policies: { readonly [name: string]: PolicyOrder }
  /** How long whoever is admitted stays. @default 0 */
  readonly visitMs?: number
}

export interface CrowdTest {
  /** For `--only`. */
  readonly name: string
  readonly title: string
  rule(allowed: number): Rule
  crowd(allowed: number): Crowd
}

const gate: PolicyOrder = { strategy: 'uniform', interval: windowMs, key: 'visitor' }

function log(allowed: number): PolicyOrder {
  return { strategy: 'slidingWindowLog', limit: allowed, window: windowMs, key: 'everybody' }
}

/** The dashboard draws the allowance behind a gate that knows of none. */
function gateAlone(allowed: number): Rule {
  return { policies: { visitor: gate, allowance: { ...log(allowed), shadow: true } } }
}

function ordinary(allowed: number): Crowd {
  return { names: 2 * allowed, newcomers: false, pace: 'steady', longestDelayMs: 250 }
}

/** Hard on a window that begins with its first request. */
function rushing(allowed: number): Crowd {
  return { ...ordinary(allowed), pace: 'rush', longestDelayMs: 500 }
}

const original: readonly CrowdTest[] = [
  {
    name: 'log',
    title: 'Sliding window log',
    rule: (allowed) => ({ policies: { everybody: log(allowed) } }),
    crowd: ordinary,
  },
  {
    name: 'gate',
    title: 'Uniform gate',
    rule: gateAlone,
    crowd: (allowed) => ({ ...ordinary(allowed), names: allowed }),
  },
  {
    name: 'log-delays',
    title: 'Log, other delays',
    rule: (allowed) => ({ policies: { everybody: log(allowed) } }),
    crowd: (allowed) => ({ ...rushing(allowed), longestDelayMs: 2000 }),
  },
  { name: 'gang', title: 'Gate, new names', rule: gateAlone, crowd: gangOf },
]

const pair: CrowdTest = {
  name: 'pair',
  title: 'Gate and log',
  rule: (allowed) => ({ policies: { visitor: gate, everybody: log(allowed) } }),
  crowd: gangOf,
}

function gangOf(allowed: number): Crowd {
  return { ...ordinary(allowed), newcomers: true }
}

/** One strategy for everybody, by numbers that mean so many in 10 s. */
function strategy(
  name: string,
  title: string,
  numbers: (allowed: number) => Readonly<Record<string, unknown>>,
): CrowdTest {
  return {
    name,
    title,
    rule: (allowed) => ({
      policies: { everybody: { strategy: name, ...numbers(allowed), key: 'everybody' } },
    }),
    crowd: rushing,
  }
}

const inWindow = (limit: number) => ({ limit, window: windowMs })
const rate = (count: number) => ({ count, period: windowMs })
/** A tenth at once, the rest evenly. */
const smallBurst = (allowed: number) => Math.ceil(allowed / 10)

const others: readonly CrowdTest[] = [
  strategy('fixedWindow', 'Fixed window', inWindow),
  strategy('slidingWindowCounter', 'Sliding window counter', inWindow),
  strategy('gcra', 'GCRA', (allowed) => ({ ...rate(allowed), burst: smallBurst(allowed) })),
  strategy('tokenBucket', 'Token bucket', (allowed) => ({ ...rate(allowed), capacity: allowed })),
  strategy('leakyBucket', 'Leaky bucket', (allowed) => ({
    ...rate(allowed),
    capacity: smallBurst(allowed),
  })),
  strategy('multiWindow', 'Multi window', (allowed) => ({ limits: windowsFor(allowed) })),
  strategy('attributedWindow', 'Attributed window', inWindow),
  { name: 'concurrency', title: 'Concurrency', rule: slots, crowd: rushing },
]

function windowsFor(allowed: number): readonly { limit: number; window: number }[] {
  const whole = inWindow(allowed)
  const inOneSecond = Math.ceil(allowed / 5)
  return inOneSecond < allowed ? [{ limit: inOneSecond, window: 1000 }, whole] : [whole]
}

/** So many at once, each for as long as lets the allowed number through in 10 s. */
function slots(allowed: number): Rule {
  const limit = Math.min(100, Math.ceil(allowed / 50))
  return {
    policies: { everybody: { strategy: 'concurrency', limit, key: 'everybody' } },
    visitMs: Math.max(1, Math.round((limit * windowMs) / allowed)),
  }
}

export const crowdTests: readonly CrowdTest[] = [...original, ...others, pair]

/** Throws a UsageError for a name that none has. */
export function testsNamed(names: readonly string[]): readonly CrowdTest[] {
  const known = crowdTests.map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`
    throw new UsageError(`--only: expected some of ${known.join(', ')}${hint}, got ${JSON.stringify(name)}`)
  }
  return crowdTests.filter(({ name }) => names.includes(name))
}
