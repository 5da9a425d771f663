import { catalogue, durationUs, isRecord, optionError, pictures } from '@sluice/core/internal'
import { exampleOf } from '../example-of.ts'

/** A policy as `policyFrom` takes it. */
export interface PolicyData {
  readonly strategy: string
  readonly [option: string]: unknown
}

type Rule = catalogue.DeclaredStrategy['rule']

/** The strategies that a log can be replayed through, by name, with an example in short form. */
export const forms: Readonly<Record<string, { readonly rule: Rule; readonly example: string }>> =
  Object.fromEntries(
    [...catalogue.declaredStrategies.values()]
      .filter(({ inFlight }) => !inFlight)
      .map((declared) => {
        const { name, rule } = declared
        return [name, { rule, example: textBy(rule, { strategy: name, ...exampleOf(declared) }) }]
      }),
  )

/** Reads `gcra:100/1m,burst=20` or the same as JSON. Throws an OptionError. */
export function policyData(text: string): PolicyData {
  if (text.trimStart().startsWith('{')) return tried(jsonOf(text))
  const [, strategy = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(text.trim()) ?? []
  const { rule: names, example } = formOf(strategy)
  const options: Option[] = []
  const rules: object[] = []
  for (const part of rest.split(',')) {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(part.trim()) ?? []
    if (name !== undefined) options.push([name, plainValue(value)])
    else rules.push(partOf(part.trim(), { names, example }))
  }
  const [rule] = rules
  if (names.windows !== undefined)
    return dataOf([['strategy', strategy], [names.windows, rules], ...options], rest)
  if (rule === undefined || rules.length > 1) throw optionError(strategy, `one rule, as in ${example}`, rest)
  return dataOf([['strategy', strategy], ...Object.entries(rule), ...options], rest)
}

type Option = readonly [name: string, value: unknown]

/** `text` is the source for the error if an option is given twice. */
function dataOf(options: readonly Option[], text: string): PolicyData {
  const names = options.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw optionError(twice, 'to be given once', text)
  return Object.fromEntries(options) as unknown as PolicyData // the strategy is among them
}

/** The short form, as `policyData` reads it; JSON where that has none. */
export function textOf(data: PolicyData): string {
  if (isRecord(data.blockFor)) return JSON.stringify(data)
  return textBy(formOf(data.strategy).rule, data)
}

function textBy(rule: Rule, { strategy, ...options }: PolicyData): string {
  const { units = '', span = '', windows = '', every } = rule
  const { [units]: count, [span]: time, [windows]: limits, [every?.name ?? '']: each, ...others } = options
  const rules = Array.isArray(limits)
    ? limits.map(({ limit, window }) => `${limit}/${spoken(window)}`)
    : [[...(units && [count]), ...(span && [each ?? spoken(time)])].join('/')]
  const rest = Object.entries(others).filter(([, value]) => value !== undefined)
  return `${strategy}:${[...rules, ...rest.map(([name, value]) => `${name}=${value}`)].join(',')}`
}

function formOf(strategy: string): { readonly rule: Rule; readonly example: string } {
  const form = Object.hasOwn(forms, strategy) ? forms[strategy] : undefined
  if (form !== undefined) return form
  if (catalogue.declaredStrategies.has(strategy)) {
    const expected = 'a strategy that counts requests (how long they take is not known here)'
    throw optionError('strategy', expected, strategy)
  }
  throw catalogue.unknownStrategy(strategy, Object.keys(forms))
}

function partOf(part: string, { names, example }: { names: Rule; example: string }): object {
  const { windows, units = 'limit', span, every } = names
  const [, amount, per] = /^(\d+)(?:\/(.+))?$/.exec(part) ?? []
  const isRate = windows !== undefined || (names.units !== undefined && span !== undefined)
  if (isRate && amount !== undefined && per !== undefined) {
    const time = every?.choices.includes(per) ? every.name : (span ?? 'window')
    return { [units]: Number(amount), [time]: withUnit(time, per) }
  }
  if (!isRate && span !== undefined && part !== '') return { [span]: withUnit(span, part) }
  if (!isRate && span === undefined && amount !== undefined && per === undefined)
    return { [units]: Number(amount) }
  throw optionError('rule', `one as in ${example}`, part)
}

/** A bare number would be milliseconds, and who types `100/60` means seconds. */
function withUnit(name: string, time: string): string {
  if (typeof plainValue(time) === 'number')
    throw optionError(name, 'a duration with a unit such as "10s"', time)
  return time
}

/** `20` and `0.01` are numbers, `1m` and `clock` are text. */
function plainValue(text: string): string | number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw optionError('policy', 'JSON such as {"strategy":"gcra","count":100,"period":"1m"}', text)
  }
}

/** Checks the strategy's name; its own function checks the rest. */
function tried(data: unknown): PolicyData {
  const { strategy } = (data ?? {}) as { strategy?: unknown } // read, then checked
  formOf(typeof strategy === 'string' ? strategy : String(strategy))
  return data as PolicyData // an object, because it has a known strategy
}

/** `1m`, `500ms`: as `spanWords`, in the units of options. */
export function spanText(us: number): string {
  return us % 1000 === 0 ? pictures.spanWords(us).replace('min', 'm').replace(' ', '') : `${us / 1000}ms`
}

function spoken(span: unknown): string {
  return spanText(durationUs(span, 'span'))
}
