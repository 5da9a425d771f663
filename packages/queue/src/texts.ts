import { isOptionError } from '@sluice/core'
import { isRecord, optionError, storeError } from '@sluice/core/internal'
import type { Outcome } from './jobs.ts'
import type { TicketStatus } from './queue.ts'

/** How an entry ended, for its ticket's status. */
export type Ended<Result> = Extract<TicketStatus<Result>, { readonly state: 'done' | 'failed' }>

const mostErrorBytes = 1024
const jsonForm = 'a value with a JSON form'

/** The stored text of a job. Throws an OptionError if it cannot be written as JSON. */
export function jobText(job: unknown): string {
  let why = ''
  try {
    const text = JSON.stringify(job, refuseMaps)
    if (text !== undefined) return text
  } catch (error) {
    if (isOptionError(error)) throw error
    why = ` (${oneLine(messageOf(error))})`
  }
  throw optionError('job', jsonForm + why, job)
}

/** Of a Map or a Set nothing would be left in JSON. */
function refuseMaps(_name: string, value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) throw optionError('job', jsonForm, value)
  return value
}

export function isTooLarge(text: string, maxBytes: number): boolean {
  // A UTF-16 unit takes at most three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes
}

/** Shortens an error to 1024 bytes, not within a character. */
export function errorText(error: string): string {
  if (!isTooLarge(error, mostErrorBytes)) return error
  return new TextDecoder().decode(Buffer.from(error).subarray(0, mostErrorBytes), { stream: true })
}

/** `done` becomes `failed` if the result cannot be written as JSON, or is larger than a job may be. */
export function endedOf<Result>(
  outcome: Exclude<Outcome<Result>, { readonly state: 'again' }>,
  maxBytes: number,
): { readonly ended: Ended<Result>; readonly text: string } {
  const ended: Ended<Result> =
    outcome.state === 'done'
      ? { state: 'done', result: outcome.result }
      : { state: 'failed', error: errorText(outcome.error) }
  const fault = ended.state === 'done' ? faultOf(ended.result, maxBytes) : undefined
  const kept: Ended<Result> = fault === undefined ? ended : { state: 'failed', error: errorText(fault) }
  return { ended: kept, text: JSON.stringify(kept) }
}

/** Reads what `endedOf` has stored. @throws StoreError for anything that another program wrote there */
export function readEnded<Result>(text: string): Ended<Result> {
  const ended = parsed(text)
  if (isRecord(ended)) {
    if (ended.state === 'done') return { state: 'done', result: ended.result as Result } // written by endedOf
    if (ended.state === 'failed' && typeof ended.error === 'string')
      return { state: 'failed', error: ended.error }
  }
  throw storeError('redis', 'the result of a ticket was not written by a queue')
}

/** undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Why a result cannot be kept. */
function faultOf(result: unknown, maxBytes: number): string | undefined {
  try {
    const text = JSON.stringify(result) ?? ''
    return isTooLarge(text, maxBytes) ? `the result has more than ${maxBytes} bytes of JSON` : undefined
  } catch (error) {
    return `the result cannot be written as JSON: ${oneLine(messageOf(error))}`
  }
}

/** The message of whatever was thrown: some values have no text, and some messages are no strings. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error)
  } catch {
    return 'an error without a text'
  }
}

/** Joins lines: V8's message on a circular structure has several. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}
