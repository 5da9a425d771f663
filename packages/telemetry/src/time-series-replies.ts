import { inRedis } from '@sluice/core/internal'
import { readLabel } from './safe-label.ts'
import type { Labels } from './sink.ts'

/** One series in a reply of TS.MRANGE. */
export interface Ranged {
  readonly key: string
  readonly labels: Labels
  readonly samples: readonly SampleAt[]
}

export interface SampleAt {
  readonly atMs: number
  readonly units: number
}

/**
 * Names and values of a list of pairs in RESP2 or a map in RESP3. A client may represent a map as an object, as a Map, or as one
 * list of alternating names and values.
 */
export function pairsOf(reply: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (reply instanceof Map) return [...reply].map(([name, value]) => [String(name), value])
  if (!Array.isArray(reply)) return Object.entries(reply ?? {})
  if (Array.isArray(reply[0])) {
    return reply.map(([name, ...rest]: readonly unknown[]) => [
      String(name),
      rest.length > 1 ? rest : rest[0],
    ])
  }
  return reply.flatMap((name, i) => (i % 2 === 0 ? [[String(name), reply[i + 1]] as const] : []))
}

/** Reads a reply of TS.MRANGE: after the key come the labels and, last, the samples; RESP3 puts the aggregators between them. */
export function readRanges(reply: unknown): readonly Ranged[] {
  return pairsOf(reply).map(([key, rest]) => {
    const parts = Array.isArray(rest) ? rest : []
    return { key, labels: readLabels(parts[0]), samples: readSamples(parts.at(-1)) }
  })
}

export function readLabels(reply: unknown): Labels {
  return Object.fromEntries(
    pairsOf(reply).map(([name, value]) => [readLabel(name), readLabel(String(value))]),
  )
}

export function readSamples(reply: unknown): readonly SampleAt[] {
  return inRedis.listOf(reply).map((sample) => {
    // A number is a string in RESP2.
    const [atMs = Number.NaN, units = Number.NaN] = inRedis.listOf(sample).map(Number)
    if (!Number.isFinite(atMs) || !Number.isFinite(units)) throw inRedis.malformed()
    return { atMs, units }
  })
}

/** Reads names: a list in RESP2, a set in RESP3. */
export function readNames(reply: unknown): readonly string[] {
  return Array.isArray(reply) || reply instanceof Set ? [...reply].map(String) : []
}
