import type { Drawn } from './drawn.ts'
import { columnCount, columnLengths, shapes } from './drawn.ts'
import type { Pasted } from './pasted.ts'
import { strategyNames, type Written } from './policy.ts'

type Traffic = Drawn | Pasted | { readonly kind: 'sample' }

/** All that a link to the playground says. */
export interface Scene {
  readonly traffic: Traffic
  readonly policies: readonly Written[]
  /** How long each request is in flight: for strategies that count that. */
  readonly holdMs: number
  /** How long a request waits for its turn; 0: it is refused at once. */
  readonly maxWaitMs: number
}

export const mostPolicies = 4

export const firstScene: Scene = {
  traffic: { kind: 'drawn', columnMs: 1000, columns: shapes.border?.columns ?? [] },
  policies: [
    { strategy: 'fixedWindow', fields: { limit: '20', window: '10s' } },
    { strategy: 'slidingWindowLog', fields: { limit: '20', window: '10s' } },
  ],
  holdMs: 1000,
  maxWaitMs: 0,
}

/** What stands behind the `#`: `drawn=1000:1x5,20,0x34&policy=gcra:count=20,period=10s`. */
export function hashOf({ traffic, policies, holdMs, maxWaitMs }: Scene): string {
  const words = new URLSearchParams()
  if (traffic.kind === 'drawn') words.set('drawn', `${traffic.columnMs}:${runsOf(traffic.columns)}`)
  else words.set(traffic.kind, traffic.kind === 'pasted' ? traffic.text : 'shop')
  for (const { strategy, fields } of policies) {
    const given = Object.entries(fields).filter(([, text]) => text !== '')
    const written = given.map(([name, text]) => `${name}=${text.replaceAll(/, */g, '~')}`).join(',')
    words.append('policy', `${strategy}:${written}`)
  }
  if (traffic.kind === 'drawn' && traffic.isCrowd) words.set('clients', '3')
  if (holdMs !== firstScene.holdMs) words.set('hold', String(holdMs))
  if (maxWaitMs !== firstScene.maxWaitMs) words.set('wait', String(maxWaitMs))
  return words
    .toString()
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%3D', '=')
    .replaceAll('%2F', '/')
}

/** Reads a hash; what is missing or cannot be read is as in the first scene. */
export function sceneOf(hash: string): Scene {
  const words = new URLSearchParams(hash.replace(/^#/, ''))
  const policies = words.getAll('policy').flatMap((text) => policyOf(text) ?? [])
  const holdMs = Number(words.get('hold') ?? firstScene.holdMs)
  const maxWaitMs = Number(words.get('wait') ?? firstScene.maxWaitMs)
  return {
    traffic: trafficOf(words) ?? firstScene.traffic,
    policies: policies.length === 0 ? firstScene.policies : policies.slice(0, mostPolicies),
    holdMs: Number.isInteger(holdMs) && holdMs > 0 ? holdMs : firstScene.holdMs,
    maxWaitMs: Number.isInteger(maxWaitMs) && maxWaitMs > 0 ? maxWaitMs : firstScene.maxWaitMs,
  }
}

function trafficOf(words: URLSearchParams): Traffic | undefined {
  if (words.has('sample')) return { kind: 'sample' }
  const pasted = words.get('pasted')
  if (pasted !== null) return { kind: 'pasted', text: pasted }
  const [, ms, runs] = /^(\d+):([\dx,]+)$/.exec(words.get('drawn') ?? '') ?? []
  if (runs === undefined || !columnLengths.includes(Number(ms))) return undefined
  const columns = columnsOf(runs)
  if (columns === undefined) return undefined
  const isCrowd = words.get('clients') === '3'
  return { kind: 'drawn', columnMs: Number(ms), columns, ...(isCrowd && { isCrowd }) }
}

function policyOf(text: string): Written | undefined {
  const [, strategy = '', rest = ''] = /^(\w+):?(.*)$/s.exec(text) ?? []
  if (!strategyNames.includes(strategy)) return undefined
  const fields = rest.split(',').flatMap((part) => {
    const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(part) ?? []
    return name === undefined ? [] : [[name, value.replaceAll('~', ', ')] as const]
  })
  return { strategy, fields: Object.fromEntries(fields) }
}

/** `1x5,20` for 1, 1, 1, 1, 1, 20. */
function runsOf(columns: readonly number[]): string {
  const runs: { value: number; times: number }[] = []
  for (const value of columns) {
    const last = runs.at(-1)
    if (last?.value === value) last.times++
    else runs.push({ value, times: 1 })
  }
  return runs.map(({ value, times }) => (times === 1 ? String(value) : `${value}x${times}`)).join(',')
}

function columnsOf(runs: string): readonly number[] | undefined {
  const columns: number[] = []
  for (const run of runs.split(',')) {
    const [value = Number.NaN, times = 1] = run.split('x').map(Number)
    if (!Number.isInteger(value) || columns.length + times > columnCount) return undefined
    columns.push(...new Array<number>(times).fill(value))
  }
  return columns.length === columnCount ? columns : undefined
}
