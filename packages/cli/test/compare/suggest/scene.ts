import type { Request } from '../../../src/compare/request.ts'
import { Kept } from '../../../src/compare/suggest/kept.ts'

/** One request: at which second, by whom, and under which key and at what cost where that is not the client and 1. */
export type Sent = readonly [second: number, client: string, key?: string, cost?: number]

export function requestOf([second, client, key = client, cost = 1]: Sent): Request {
  return { atUs: second * 1e6, client, key, cost, path: [] }
}

/** Kept requests, in the order of their times. */
export function keptOf(sent: readonly Sent[]): Kept {
  const kept = new Kept()
  for (const each of [...sent].sort(([a], [b]) => a - b)) kept.add(requestOf(each))
  return kept
}

/** So many requests of a client, so many seconds apart. */
export function every(seconds: number, times: number, client: string): readonly Sent[] {
  return Array.from({ length: times }, (_, i) => [i * seconds, client])
}
