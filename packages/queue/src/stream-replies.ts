import { storeError } from '@sluice/core/limiter'
import { type Measure, unmeasured } from './drain.ts'

/** An entry as the server hands it out: its job is still a text. */
export interface Delivered {
  readonly id: string
  readonly ticket: string
  readonly job: string
  readonly attempt: number
  readonly how: 'now' | 'alone' | 'spent'
}

function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply
  throw storeError('redis', 'the store answered no list')
}

/** What take.lua answers. */
export function readTaken(reply: unknown): readonly Delivered[] {
  return listOf(reply).map((entry) => {
    const [id, ticket, job, attempt, how] = listOf(entry)
    return {
      id: String(id),
      ticket: String(ticket),
      job: String(job),
      attempt: Number(attempt),
      how: how === 'alone' || how === 'spent' ? how : 'now',
    }
  })
}

/** What XREADGROUP answers: nothing, or the streams by name, as a list of pairs or with RESP3 as a map. */
export function readStreams(reply: unknown): readonly Delivered[] {
  if (reply === null || reply === undefined) return []
  const pairs = reply instanceof Map ? [...reply] : Array.isArray(reply) ? reply : Object.entries(reply)
  // A map may also come as a flat list of one name and its entries.
  const entries = typeof pairs[0] === 'string' ? pairs[1] : listOf(pairs[0])[1]
  return listOf(entries).map(readEntry)
}

function readEntry(entry: unknown): Delivered {
  const [id, fields] = listOf(entry)
  const texts = listOf(fields).map(String)
  const field = (name: string) => {
    for (let i = 0; i < texts.length; i += 2) if (texts[i] === name) return texts[i + 1] ?? ''
    return ''
  }
  return { id: String(id), ticket: field('t'), job: field('j'), attempt: 1, how: 'now' }
}

/** What measure_of answers in a script. */
export function readMeasure(reply: readonly unknown[]): Measure {
  if (reply.length === 0) return unmeasured
  const [gaps, gapsUs, pastGaps, pastGapsUs, lastUs, busy, workUs, sinceUs, toldUs] = reply.map(Number)
  return {
    gaps: gaps ?? 0,
    gapsUs: gapsUs ?? 0,
    pastGaps: pastGaps ?? 0,
    pastGapsUs: pastGapsUs ?? 0,
    lastUs: lastUs ?? 0,
    busy: busy === 1,
    workUs: workUs ?? 0,
    sinceUs: sinceUs ?? 0,
    toldUs: toldUs ?? 0,
  }
}
