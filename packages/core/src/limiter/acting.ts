import type { Act, ActReason } from '../act.ts'
import { checkOf, type Lane, type LaneCheck } from '../decision/lane.ts'
import { optionError } from '../errors.ts'
import { checkNames, isRecord } from '../options.ts'

const names = ['why', 'by'] as const
const longest = 500

/** Reads the reason of an act; members that were not given are left out. */
export function readReason(about: ActReason = {}): ActReason {
  if (!isRecord(about)) throw optionError('about', 'an object such as { why: "scraper", by: "alice" }', about)
  checkNames(about, 'about', names)
  for (const name of names) {
    const text = about[name]
    if (text === undefined || (typeof text === 'string' && text.length <= longest)) continue
    throw optionError(`about.${name}`, `a string of at most ${longest} characters`, text)
  }
  return { ...about }
}

/** One act for each key, with all policies that were asked about it. */
export function actsOn(checks: readonly LaneCheck[]): readonly Pick<Act, 'key' | 'policies'>[] {
  const acts = new Map<string, { readonly key: Act['key']; readonly policies: string[] }>()
  for (const { key, asked, lane } of checks) {
    const act = acts.get(key)
    if (act === undefined) acts.set(key, { key: asked, policies: [lane.name] })
    else act.policies.push(lane.name)
  }
  return [...acts.values()]
}

/** A check for each of these policies that an act elsewhere concerns: for all of them if it names none. */
export function checksActedOn({ key, policies }: Act, lanes: readonly Lane[]): readonly LaneCheck[] {
  return lanes.flatMap((lane) => {
    const { name, policy } = lane
    if (policy === null || (policies.length > 0 && !policies.includes(name))) return []
    return [checkOf(lane, { key, cost: 1, note: undefined, policy })]
  })
}
