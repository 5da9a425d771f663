import { durationUs, nearest, optionError, spanWords } from '@sluice/core/internal'

/** A policy as `policyFrom` takes it. */
export interface PolicyData {
  readonly strategy: string
  readonly [option: string]: unknown
}

interface Form {
  /** What `100/1m` is called; of several they are a list. */
  readonly rate?: readonly [units: string, span: string]
  readonly several?: true
  /** What `10s` is called. */
  readonly span?: string
  readonly example: string
}

const window: Form['rate'] = ['limit', 'window']
const flow: Form['rate'] = ['count', 'period']

/** How each strategy is written in short. */
export const forms: Readonly<Record<string, Form>> = {
  slidingWindowLog: { rate: window, example: 'slidingWindowLog:100/10s' },
  slidingWindowCounter: { rate: window, example: 'slidingWindowCounter:100/1m' },
  fixedWindow: { rate: window, example: 'fixedWindow:100/1m,start=clock' },
  gcra: { rate: flow, example: 'gcra:100/1m,burst=20' },
  tokenBucket: { rate: flow, example: 'tokenBucket:10/1s,capacity=50' },
  leakyBucket: { rate: flow, example: 'leakyBucket:10/1s,capacity=30' },
  uniform: { span: 'interval', example: 'uniform:10s' },
  multiWindow: { rate: window, several: true, example: 'multiWindow:20/1s,100/10s' },
  attributedWindow: { rate: window, example: 'attributedWindow:100/10s' },
}

/** Reads `gcra:100/1m,burst=20` or the same as JSON. Throws an OptionError. */
export function policyData(text: string): PolicyData {
  if (text.trimStart().startsWith('{')) return tried(jsonOf(text))
  const [, strategy = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(text.trim()) ?? []
  const form = formOf(strategy)
  const options: Option[] = []
  const rules: object[] = []
  for (const part of rest.split(',')) {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(part.trim()) ?? []
    if (name !== undefined) options.push([name, plainValue(value)])
    else rules.push(partOf(form, part.trim()))
  }
  const [rule] = rules
  if (form.several === true) return dataOf([['strategy', strategy], ['limits', rules], ...options], rest)
  if (rule === undefined || rules.length > 1)
    throw optionError(strategy, `one rule, as in ${form.example}`, rest)
  return dataOf([['strategy', strategy], ...Object.entries(rule), ...options], rest)
}

type Option = readonly [name: string, value: unknown]

/** `text` is what they were read of: none may be said twice. */
function dataOf(options: readonly Option[], text: string): PolicyData {
  const names = options.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw optionError(twice, 'to stand there once', text)
  return Object.fromEntries(options) as unknown as PolicyData // the strategy is among them
}

/** The short form, as `policyData` reads it. */
export function textOf({ strategy, ...options }: PolicyData): string {
  const { rate: [units, span] = [], span: only } = formOf(strategy)
  const parts: string[] = []
  const { limits, ...others } = options
  if (Array.isArray(limits)) parts.push(...limits.map(({ limit, window }) => `${limit}/${spoken(window)}`))
  else if (units !== undefined && span !== undefined) parts.push(`${options[units]}/${spoken(options[span])}`)
  else parts.push(spoken(options[only ?? '']))
  const spent = [units, span, only]
  const rest = Object.entries(others).filter(([name, value]) => !spent.includes(name) && value !== undefined)
  return `${strategy}:${[...parts, ...rest.map(([name, value]) => `${name}=${value}`)].join(',')}`
}

function formOf(strategy: string): Form {
  const form = forms[strategy]
  if (form !== undefined && Object.hasOwn(forms, strategy)) return form
  if (strategy === 'concurrency')
    throw optionError(
      'strategy',
      'one that counts requests (a log does not say how long they took)',
      strategy,
    )
  const names = Object.keys(forms)
  const near = nearest(strategy, names)
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`
  throw optionError('strategy', `one of ${names.join(', ')}${hint}`, strategy)
}

function partOf({ rate, span, example }: Form, part: string): object {
  const [, units, per] = /^(\d+)\/(.+)$/.exec(part) ?? []
  if (rate !== undefined && units !== undefined && per !== undefined)
    return { [rate[0]]: Number(units), [rate[1]]: plainValue(per) }
  if (span !== undefined && part !== '') return { [span]: plainValue(part) }
  throw optionError('rule', `one as in ${example}`, part)
}

/** `20` is a number, `1m` and `clock` are text. */
function plainValue(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw optionError('policy', 'JSON such as {"strategy":"gcra","count":100,"period":"1m"}', text)
  }
}

/** A strategy that can be tried; its own constructor checks the rest. */
function tried(data: unknown): PolicyData {
  const { strategy } = (data ?? {}) as { strategy?: unknown } // read, then checked
  formOf(typeof strategy === 'string' ? strategy : String(strategy))
  return data as PolicyData // an object, as it has a known strategy
}

/** `1m`, `500ms`: as `spanWords`, in the units of options. */
export function spanText(us: number): string {
  return us % 1000 === 0 ? spanWords(us).replace('min', 'm').replace(' ', '') : `${us / 1000}ms`
}

function spoken(span: unknown): string {
  return spanText(durationUs(span, 'span'))
}
