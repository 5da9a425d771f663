import { isOptionError } from '@sluice/core'
import { catalogue, definitions, didYouMean, pictures } from '@sluice/core/internal'
import type { DescribedLimit, RunningProcess } from '@sluice/operations'
import { UsageError } from '../exit-code.ts'
import { oneLine } from '../one-line.ts'

/** A limit that can be changed, over all processes: during a deployment they may have several rules for it. */
export interface KnownLimit {
  readonly name: string
  readonly rules: readonly string[]
  /** The rules that are in force. */
  readonly now: readonly string[]
  /** null where the policy cannot be made anew here. */
  readonly data: readonly DescribedLimit['data'][]
  readonly problems: readonly string[]
}

export function knownLimits(processes: readonly RunningProcess[]): readonly KnownLimit[] {
  const all = processes.flatMap(({ limits = [] }) => limits)
  return [...new Set(all.map(({ name }) => name))].map((name) => {
    const same = all.filter((limit) => limit.name === name)
    return {
      name,
      rules: unique(same.map(({ rule }) => rule)),
      now: unique(same.map(({ rule, now }) => now ?? rule)),
      data: unique(same.map(({ data }) => JSON.stringify(data))).map((text) => JSON.parse(text)),
      problems: unique(same.flatMap(({ problem }) => problem ?? [])),
    }
  })
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** The limit, or why there is none. */
export function limitNamed(processes: readonly RunningProcess[], name: string): KnownLimit | string {
  const known = knownLimits(processes)
  const found = known.find((limit) => limit.name === name)
  if (found !== undefined) return found
  if (known.length === 0)
    return 'no running process has limits that can be changed: they need ops.limits({ … })'
  const names = known.map((limit) => limit.name)
  return `no running process has a limit "${name}"${didYouMean(name, names, `there are ${names.join(', ')}`)}`
}

/** The limit's rules with these options, in each process; or why one of them cannot have them. */
export function changedRules(
  { data }: KnownLimit,
  options: { readonly [option: string]: unknown },
): { readonly rules: readonly string[]; readonly problem?: string } {
  const unitless = unitlessOf(data, options)
  if (unitless !== undefined) {
    const [name, time] = unitless
    return {
      rules: [],
      problem: `${name}: expected a duration with a unit such as "10s", got ${time} (number)`,
    }
  }
  try {
    const rules = data.map((own) => {
      // The process has a strategy of its own, and will say by itself.
      if (own === null) return optionsText(options)
      return pictures.pictureOf(definitions.policyWithOptions(catalogue.policyOfData(own), options)).rule
    })
    return { rules: unique(rules) }
  } catch (error) {
    if (!isOptionError(error)) throw error
    return { rules: [], problem: error.message }
  }
}

/** A time that is a bare number: in code that is milliseconds, and who types `period=60` in an incident means seconds. */
function unitlessOf(
  data: KnownLimit['data'],
  options: { readonly [option: string]: unknown },
): readonly [name: string, time: unknown] | undefined {
  const declared = data.map((own) => own && catalogue.declaredStrategies.get(own.strategy)?.options)
  const isTime = (name: string) => declared.some((each) => each?.[name]?.kind === 'duration')
  return Object.entries(options).find(
    ([name, value]) => typeof value === 'number' && value > 0 && isTime(name),
  )
}

function optionsText(options: { readonly [option: string]: unknown }): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')
}

/** Processes that lack the limit, although others of their service have it: those of an earlier version, for example. */
export function lackingLines(processes: readonly RunningProcess[], name: string): readonly string[] {
  const has = ({ limits = [] }: RunningProcess) => limits.some((limit) => limit.name === name)
  const services = new Set(processes.filter(has).map(({ service }) => service))
  const lacking = processes.filter((process) => services.has(process.service) && !has(process))
  if (lacking.length === 0) return []
  return [
    `${lacking.length} of ${processes.length} processes have no limit "${oneLine(name)}", and keep their numbers`,
  ]
}

/** `count=50 period=1m`; a list as JSON. */
export function optionsOf(words: readonly string[]): { readonly [option: string]: unknown } {
  const options = words.map((word) => {
    const [, name, value = ''] = /^(\w+)=(.+)$/s.exec(word) ?? []
    if (name === undefined) throw new UsageError(`OPTIONS: expected such as count=50, got ${oneLine(word)}`)
    return [name, readValue(value)] as const
  })
  const names = options.map(([name]) => name)
  if (new Set(names).size < names.length) throw new UsageError('OPTIONS: each is given once')
  return Object.fromEntries(options)
}

function readValue(text: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`OPTIONS: expected JSON, got ${oneLine(text)}`)
  }
}
