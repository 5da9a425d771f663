import { isStoreError } from '@sluice/core'
import { checkNames, optionalFunction, optionError, retryAfterSeconds } from '@sluice/core/internal'
import { jsonAnswer, type PlainAnswer, problemAnswer } from '@sluice/http/internal'
import type { Offer, Queue, TicketStatus } from './queue.ts'

/** A response as plain data that any framework can send. */
export type HttpAnswer = PlainAnswer

/** What clients may see of a ticket. */
export interface TicketStatusOptions {
  /**
   * The text for the client of a failed job, from the error that the work threw; undefined, or anything else that is no string, means a
   * fixed sentence. An error may name servers, users and files: pass on only what you know. @default always the fixed sentence
   *
   * @example tellError: (error) => (error === 'sold out' ? 'The show is sold out.' : undefined)
   */
  tellError?: ((error: string) => string | undefined) | undefined
}

type Refusal = Extract<Offer, { readonly allowed: false }>

/** Retry-After for a queue that may be back at any time. */
const awayMs = 1000
const maxPollSeconds = 10
const failure = { code: 'SLUICE_QUEUE_JOB_FAILED', error: 'The work on this job has failed.' } as const

/**
 * Offers a job and returns the HTTP response: 202 with the `Location` of its status and a body with `ticket`, `position`, `waitMs`; 429
 * with Retry-After if the queue is full, 413 if the job is too large, 503 with Retry-After if the queue cannot be reached.
 * `statusPath` creates the address of a ticket's status; without it, and for a job that cannot be written as JSON, this rejects with an
 * OptionError.
 *
 * @example
 * app.post('/orders/:dish', async (req, res) => {
 *   const { status, headers, body } = await acceptJob(queue, req.params.dish, { statusPath: (ticket) => `/tickets/${ticket}` })
 *   res.status(status).setHeaders(new Map(headers)).end(body)
 * })
 */
export async function acceptJob<Job>(
  queue: Pick<Queue<Job, unknown>, 'offer'>,
  job: Job,
  options: { statusPath: (ticket: string) => string },
): Promise<HttpAnswer> {
  checkNames(options, 'options', ['statusPath'])
  const { statusPath } = options
  if (typeof statusPath !== 'function') throw optionError('statusPath', 'a function', statusPath)
  const offer = await queue.offer(job)
  if (!offer.allowed) return refusalOf(offer)
  const { ticket, position, waitMs } = offer
  return jsonAnswer(202, { ticket, position, waitMs }, [['Location', statusPath(ticket)]])
}

/**
 * A ticket's status in HTTP: 200 with a body whose `state` is `waiting`, `running`, `done` or `failed`, with a Retry-After that says
 * when to ask again until it has ended; 404 if the ticket is unknown or expired, 503 if the queue cannot be reached. For a
 * failed job the body has a fixed sentence and a code: the error goes to the queue's observers.
 *
 * @example
 * app.get('/orders/:ticket', async (req, res) => {
 *   const { status, headers, body } = await ticketStatus(queue, req.params.ticket)
 *   res.status(status).setHeaders(new Map(headers)).end(body)
 * })
 */
export async function ticketStatus(
  queue: Pick<Queue<never, unknown>, 'status'>,
  ticket: string,
  options: TicketStatusOptions = {},
): Promise<HttpAnswer> {
  checkNames(options, '', ['tellError'])
  optionalFunction(options.tellError, 'tellError')
  let status: TicketStatus<unknown> | undefined
  try {
    status = await queue.status(ticket)
  } catch (error) {
    if (!isStoreError(error)) throw error
    return refusalOf({ allowed: false, reason: 'store-unavailable', retryAfterMs: null })
  }
  if (status === undefined) return problemAnswer(404, 'This ticket is unknown, or its result has expired.')
  if (status.state === 'failed') return jsonAnswer(200, failedOf(status.error, options))
  return jsonAnswer(200, status, pollAdvice(status))
}

function failedOf(error: string, { tellError }: TicketStatusOptions): object {
  const { code } = failure
  try {
    const text: unknown = tellError?.(error)
    if (typeof text === 'string') return { state: 'failed', code, error: text }
  } catch {
    // An error that cannot be mapped is not shown.
  }
  return { state: 'failed', ...failure }
}

/** Half of the wait, so that clients learn of the end soon after it. */
function pollAdvice(
  status: Exclude<TicketStatus<unknown>, { readonly state: 'failed' }>,
): HttpAnswer['headers'] {
  if (status.state === 'done') return []
  const waitMs = status.state === 'waiting' ? (status.waitMs ?? 0) : 0
  return [['Retry-After', String(Math.min(maxPollSeconds, retryAfterSeconds(waitMs / 2)))]]
}

function refusalOf({ reason, retryAfterMs }: Refusal): HttpAnswer {
  switch (reason) {
    case 'full':
      return comeBack(429, { reason, fact: 'The queue is full', retryAfterMs })
    case 'too-large':
      return problemAnswer(413, 'This job is larger than the queue accepts.', { more: { reason } })
    case 'store-unavailable':
      return comeBack(503, { reason, fact: 'The queue cannot be reached now', retryAfterMs })
  }
}

function comeBack(
  status: number,
  { fact, reason, retryAfterMs }: Pick<Refusal, 'reason' | 'retryAfterMs'> & { readonly fact: string },
): HttpAnswer {
  const retryAfter = retryAfterSeconds(retryAfterMs ?? awayMs)
  const detail = `${fact}: try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`
  const fields = [['Retry-After', String(retryAfter)]] as const
  return problemAnswer(status, detail, { more: { reason, retryAfter }, fields })
}
