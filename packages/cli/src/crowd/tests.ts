import { catalogue, didYouMean, pictures } from '@sluice/core/internal'
import type { PolicyOrder } from '../endpoint/index.ts'
import { exampleOf } from '../example-of.ts'
import { UsageError } from '../exit-code.ts'
import type { Crowd } from './plan.ts'
import { windowMs } from './window.ts'

/** The order for the endpoint for one test. */
export interface Rule {
  readonly policies: { readonly [name: string]: PolicyOrder }
  /** How long an admitted visitor stays. @default 0 */
  readonly visitMs?: number
}

export interface CrowdTest {
  /** The name of the test, for `--only` and in all output. */
  readonly name: string
  /** What the test is, in a few words. */
  readonly about: string
  rule(allowed: number): Rule
  crowd(allowed: number): Crowd
}

const gate: PolicyOrder = { strategy: 'uniform', interval: windowMs, key: 'visitor' }

function log(allowed: number): PolicyOrder {
  return { strategy: 'slidingWindowLog', limit: allowed, window: windowMs, key: 'everybody' }
}

/** Adds a shadow policy so that the dashboard can draw the allowance. */
function gateAlone(allowed: number): Rule {
  return { policies: { visitor: gate, allowance: { ...log(allowed), shadow: true } } }
}

function ordinary(allowed: number): Crowd {
  return { names: 2 * allowed, newcomers: false, pace: 'steady', maxDelayMs: 250 }
}

/** The worst case for a window that begins with its first request. */
function rushing(allowed: number): Crowd {
  return { ...ordinary(allowed), pace: 'rush', maxDelayMs: 500 }
}

const original: readonly CrowdTest[] = [
  {
    name: 'log',
    about: 'sliding window log',
    rule: (allowed) => ({ policies: { everybody: log(allowed) } }),
    crowd: ordinary,
  },
  {
    name: 'gate',
    about: 'uniform gate',
    rule: gateAlone,
    crowd: (allowed) => ({ ...ordinary(allowed), names: allowed }),
  },
  {
    name: 'log-delays',
    about: 'the log, with other delays',
    rule: (allowed) => ({ policies: { everybody: log(allowed) } }),
    crowd: (allowed) => ({ ...rushing(allowed), maxDelayMs: 2000 }),
  },
  { name: 'gang', about: 'the gate, with new names', rule: gateAlone, crowd: gangOf },
]

const pair: CrowdTest = {
  name: 'pair',
  about: 'gate and log together',
  rule: (allowed) => ({ policies: { visitor: gate, everybody: log(allowed) } }),
  crowd: gangOf,
}

function gangOf(allowed: number): Crowd {
  return { ...ordinary(allowed), newcomers: true }
}

/** Numbers of a strategy for the allowance, if the numbers derived from its options would show less. */
const ownNumbers: Readonly<Record<string, (allowed: number) => Readonly<Record<string, unknown>>>> = {
  gcra: (allowed) => ({ burst: tenthOf(allowed) }),
  leakyBucket: (allowed) => ({ capacity: tenthOf(allowed) }),
  multiWindow: (allowed) => ({ limits: windowsFor(allowed) }),
}

function tenthOf(allowed: number): number {
  return Math.ceil(allowed / 10)
}

/** One strategy for everybody, with numbers that mean the allowance per 10 s. */
function testOf(declared: catalogue.DeclaredStrategy): CrowdTest {
  const { name, inFlight } = declared
  function rule(allowed: number): Rule {
    const numbers = {
      ...catalogue.optionsFor(declared, { units: allowed, span: windowMs }),
      ...ownNumbers[name]?.(allowed),
    }
    return { policies: { everybody: { strategy: name, ...numbers, key: 'everybody' } } }
  }
  return {
    name,
    about: aboutOf(declared),
    rule: inFlight ? (allowed) => slots(declared, allowed) : rule,
    crowd: rushing,
  }
}

function aboutOf(declared: catalogue.DeclaredStrategy): string {
  return pictures.pictureOf(catalogue.policyOfData({ strategy: declared.name, ...exampleOf(declared) })).title
}

const tried = [...original, pair].flatMap(({ rule }) =>
  Object.values(rule(1).policies).map(({ strategy }) => strategy),
)
const others = [...catalogue.declaredStrategies.values()]
  .filter(({ name }) => !tried.includes(name))
  .map(testOf)

function windowsFor(allowed: number): readonly { limit: number; window: number }[] {
  const whole = { limit: allowed, window: windowMs }
  const inOneSecond = Math.ceil(allowed / 5)
  return inOneSecond < allowed ? [{ limit: inOneSecond, window: 1000 }, whole] : [whole]
}

/** A limit of visitors in flight, each of which stays so long that the allowance passes in 10 s. */
function slots(declared: catalogue.DeclaredStrategy, allowed: number): Rule {
  const limit = Math.min(100, Math.ceil(allowed / 50))
  return {
    policies: {
      everybody: {
        strategy: declared.name,
        ...catalogue.optionsFor(declared, { units: limit, span: windowMs }),
        key: 'everybody',
      },
    },
    visitMs: Math.max(1, Math.round((limit * windowMs) / allowed)),
  }
}

export const crowdTests: readonly CrowdTest[] = [...original, ...others, pair]

/** Throws a UsageError for an unknown name. */
export function testsNamed(names: readonly string[]): readonly CrowdTest[] {
  const known = crowdTests.map(({ name }) => name)
  for (const name of names) {
    if (known.includes(name)) continue
    const hint = didYouMean(name, known)
    throw new UsageError(`--only: expected some of ${known.join(', ')}${hint}, got ${JSON.stringify(name)}`)
  }
  return crowdTests.filter(({ name }) => names.includes(name))
}
