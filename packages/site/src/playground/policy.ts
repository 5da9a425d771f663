import { catalogue } from '@sluice/core/internal'
import { policyFrom } from '@sluice/core/strategies'

/** A policy as it is being written: the texts of its fields by the options' names. An empty one is an option left out. */
export interface Written {
  readonly strategy: string
  readonly fields: Readonly<Record<string, string>>
}

/** A field of the form. */
export interface Field {
  readonly name: string
  readonly about: string
  readonly kind: catalogue.StrategyOption['kind']
  readonly choices: readonly string[]
  /** Shown at once; the others are behind "More options". */
  readonly isMain: boolean
  /** What is taken if it is left empty. */
  readonly otherwise: string
}

export const strategyNames: readonly string[] = [...catalogue.declaredStrategies.keys()]

/** Options that a strategy has only where they are given. */
const waiting: Field = {
  name: 'maxDebt',
  about: 'Callers may reserve: how far ahead.',
  kind: 'duration',
  choices: [],
  isMain: false,
  otherwise: 'no waiting',
}

export function fieldsOf(strategy: string): readonly Field[] {
  const fields = declaredFieldsOf(strategy)
  const isDeclared = fields.some(({ name }) => name === waiting.name)
  return isDeclared || !canBeReserved(strategy) ? fields : [...fields, waiting]
}

/** A window whose callers wait once it has `maxDebt`. */
export function canBeReserved(strategy: string): boolean {
  if (isInFlight(strategy) || 'maxDebt' in declared(strategy).options) return false
  try {
    return (
      'reserve' in policyFrom({ ...dataOf(writtenAs(strategy, { units: 1, span: '1s' })), maxDebt: '1s' }).can
    )
  } catch {
    return false // it has no such option
  }
}

/** Requests can wait for their turn. */
export function mayWait({ strategy, fields }: Written): boolean {
  return (
    'maxDebt' in declared(strategy).options ||
    (canBeReserved(strategy) && (fields.maxDebt ?? '').trim() !== '')
  )
}

/** All clients have one count, of which each has a share. */
export function isShared(strategy: string): boolean {
  return 'maxClients' in declared(strategy).options
}

function declaredFieldsOf(strategy: string): readonly Field[] {
  const asked = declared(strategy)
  const required = catalogue.optionsFor(asked, { units: 1, span: '1s' })
  return Object.entries(asked.options).map(([name, option]) => ({
    name,
    about: option.about,
    kind: option.kind,
    choices: option.kind === 'choice' ? option.choices : [],
    isMain: name in required || ('scales' in option && option.scales !== undefined) || name === 'start',
    otherwise: name in required ? '' : defaultWords(option),
  }))
}

function defaultWords(option: catalogue.StrategyOption): string {
  const otherwise = option.default
  if (otherwise === undefined) return 'not given'
  return typeof otherwise === 'object' ? otherwise.words.replaceAll('`', '') : String(otherwise)
}

export function isInFlight(strategy: string): boolean {
  return declared(strategy).inFlight
}

/** Another strategy with about the same numbers. */
export function writtenAs(strategy: string, { units, span }: { units: number; span: string }): Written {
  const { rule } = declared(strategy)
  // A pause after each request: the same rate.
  const spans = rule.units === undefined && rule.windows === undefined ? pauseOf(units, span) : span
  return { strategy, fields: textsOf(catalogue.optionsFor(declared(strategy), { units, span: spans })) }
}

function pauseOf(units: number, span: string): string {
  const [, amount = '10', unit = 's'] = /^(\d+)([a-z]+)$/.exec(span) ?? []
  const ms = Number(amount) * ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? 1000)
  return `${Math.max(1, Math.round(ms / units))}ms`
}

/** The numbers of a policy, for `writtenAs`. */
export function numbersOf({ fields }: Written): { units: number; span: string } {
  const [, windowUnits, windowSpan] = /^(\d+)\/(\w+)/.exec(fields.limits ?? '') ?? []
  const units = Number(fields.limit ?? fields.count ?? windowUnits ?? 20)
  const span = fields.window ?? fields.period ?? windowSpan ?? '10s'
  return {
    units: Number.isInteger(units) && units > 0 ? units : 20,
    span: /^\d+[a-z]+$/.test(span) ? span : '10s',
  }
}

/** What `policyFrom` takes. A text that is no number stays one, and is refused with a sentence that says why. */
export function dataOf({ strategy, fields }: Written): { strategy: string; [option: string]: unknown } {
  const kinds = declared(strategy).options
  const given = Object.entries(fields).filter(([, text]) => text.trim() !== '')
  return {
    strategy,
    ...Object.fromEntries(given.map(([name, text]) => [name, readValue(text.trim(), kinds[name]?.kind)])),
  }
}

function readValue(text: string, kind: catalogue.StrategyOption['kind'] | undefined): unknown {
  if (kind === 'windows') return text.split(',').map(windowOf)
  const isNumber = kind === 'count' || kind === 'duration' || kind === 'blockFor'
  return isNumber && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function windowOf(text: string): object {
  const [limit = '', window = ''] = text.trim().split('/')
  return { limit: readValue(limit, 'count'), window: readValue(window, 'duration') }
}

function textsOf(options: { readonly [option: string]: unknown }): Record<string, string> {
  const entries = Object.entries(options).map(([name, value]) => [name, textOf(value)] as const)
  return Object.fromEntries(entries)
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return String(value)
  return value.map(({ limit, window }: { limit: number; window: string }) => `${limit}/${window}`).join(', ')
}

function declared(strategy: string): catalogue.DeclaredStrategy {
  const found = catalogue.declaredStrategies.get(strategy)
  if (found === undefined) throw new RangeError(`There is no strategy "${strategy}".`)
  return found
}
