import { inRedis } from '@sluice/core/internal'
import type { Measure } from './drain.ts'

/** An entry as the server hands it out: its job is still a text. */
export interface Delivered {
  readonly id: string
  readonly ticket: string
  readonly job: string
  readonly attempt: number
  readonly how: 'now' | 'alone' | 'spent'
}

/** Reads what take.lua hands out. */
export function readTaken(reply: unknown): readonly Delivered[] {
  return inRedis.listOf(reply).map((entry) => {
    const [id, ticket, job, attempt, how] = inRedis.listOf(entry)
    if (how !== 'now' && how !== 'alone' && how !== 'spent') throw inRedis.malformed()
    return {
      id: textOf(id),
      ticket: textOf(ticket),
      job: textOf(job),
      attempt: inRedis.integerOf(attempt),
      how,
    }
  })
}

/** Reads the reply of XREADGROUP: nothing, or the streams by name, as a list of pairs or with RESP3 as a map. */
export function readStreams(reply: unknown): readonly Delivered[] {
  if (reply === null || reply === undefined) return []
  const pairs = reply instanceof Map ? [...reply] : Array.isArray(reply) ? reply : Object.entries(reply)
  // A map may also come as a flat list of one name and its entries.
  const entries = typeof pairs[0] === 'string' ? pairs[1] : inRedis.listOf(pairs[0])[1]
  return inRedis.listOf(entries).map(readEntry)
}

function readEntry(entry: unknown): Delivered {
  const [id, fields] = inRedis.listOf(entry)
  const texts = textsOf(fields)
  const field = (name: string) => {
    for (let i = 0; i < texts.length; i += 2) if (texts[i] === name) return texts[i + 1] ?? ''
    return ''
  }
  return { id: textOf(id), ticket: field('t'), job: field('j'), attempt: 1, how: 'now' }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  throw inRedis.malformed()
}

export function textsOf(reply: unknown): readonly string[] {
  return inRedis.listOf(reply).map(textOf)
}

/** Reads what the scripts' function measure_of returns. */
export function readMeasure(reply: readonly unknown[]): Measure {
  const [gaps, gapsUs, pastGaps, pastGapsUs, lastUs, busy, workUs, sinceUs, returnUs] = reply
  return {
    gaps: inRedis.integerOf(gaps),
    gapsUs: inRedis.integerOf(gapsUs),
    pastGaps: inRedis.integerOf(pastGaps),
    pastGapsUs: inRedis.integerOf(pastGapsUs),
    lastUs: inRedis.integerOf(lastUs),
    busy: inRedis.integerOf(busy) === 1,
    workUs: inRedis.integerOf(workUs),
    sinceUs: inRedis.integerOf(sinceUs),
    returnUs: inRedis.integerOf(returnUs),
  }
}
