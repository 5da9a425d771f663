import type { LogEntry } from '../log/entry.ts'
import { count, counted } from '../words.ts'
import { type Choice, type Confidence, clientIn } from './choice.ts'
import { type Column, columnOf, columnsOf } from './columns.ts'
import { chainOf, peerOf } from './pick.ts'
import type { Trusts } from './trust.ts'
import { withUnnamedProxies } from './unnamed-proxies.ts'

export interface Asked {
  /** The field that was named; undefined if it is to be found. */
  readonly field: string | undefined
  readonly trusts: Trusts
  /** Whether proxies were named: then no others are looked for. */
  readonly named: boolean
}

/** A smaller share of lines has another format, or a broken one. */
const leastShare = 0.02
const mostChoices = 4
/**
 * Chooses what is taken for the client in lines like these. Where lines of several formats are mixed, there are several choices, of which
 * a line takes the first that gives an address. There is none where no field holds addresses.
 */
export function choose(entries: readonly LogEntry[], asked: Asked): readonly Choice[] {
  if (asked.field !== undefined) return [named(entries, asked.field, asked)]
  const choices: Choice[] = []
  for (let rest = entries; choices.length < mostChoices; ) {
    const choice = rest.length > entries.length * leastShare ? chooseOne(rest, asked) : undefined
    if (choice === undefined) break
    choices.push(choice)
    rest = rest.filter((entry) => clientIn(entry, choice, asked.trusts) === undefined)
  }
  return choices
}

function named(entries: readonly LogEntry[], field: string, asked: Asked): Choice {
  const column = columnOf(field, entries, asked.trusts)
  const why = `named by --client, ${linesWords(column.lines, entries)}`
  const hops = column.hops.map((found) => found ?? [])
  return withUnnamedProxies({ chain: field, peer: null, rival: null, confidence: 'sure', why }, hops, asked)
}

function linesWords(lines: number, entries: readonly LogEntry[]): string {
  return `addresses in ${count(lines)} of ${counted(entries.length, 'line')}`
}

function chooseOne(entries: readonly LogEntry[], asked: Asked): Choice | undefined {
  const columns = columnsOf(entries, asked.trusts)
  const peer = peerOf(columns)
  if (peer === undefined) return undefined
  const { chain, rival } = chainOf(columns, peer)
  const hops = entries.map((_, i) => [...(chain?.hops[i] ?? []), ...(peer.hops[i] ?? [])])
  const lines = linesWords(hops.filter((found) => found.length > 0).length, entries)
  const { confidence, but = '' } = reasons(columns, peer, chain)
  return withUnnamedProxies(
    {
      chain: chain?.name ?? null,
      peer: peer.name,
      rival: rival?.name ?? null,
      confidence,
      why: `${lines}${but}`,
    },
    hops,
    asked,
  )
}

interface Reasons {
  readonly confidence: Confidence
  /** What speaks against the choice. */
  readonly but?: string
}

function reasons(columns: readonly Column[], peer: Column, chain: Column | undefined): Reasons {
  // Addresses in a few lines, such as agents that call themselves by one, do not make another field of addresses.
  const others =
    columns.filter(({ lines }) => lines > peer.lines * leastShare).length - (chain === undefined ? 1 : 2)
  if (peer.role === 'other' || peer.role === 'machine')
    return { confidence: 'a guess', but: ', and in no field of a name that says so' }
  if (peer.strangers === 0 && (chain?.strangers ?? 0) === 0)
    return { confidence: 'likely', but: ', all of them private' }
  const says = peer.role === 'place' ? chain?.role === 'claim' : chain === undefined || chain.role === 'claim'
  return others <= 0 || says
    ? { confidence: 'sure' }
    : { confidence: 'likely', but: `, and in ${counted(others, 'other field')}` }
}
