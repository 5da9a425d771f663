import { optionError } from '@sluice/core/internal'
import { KeptWith } from '@sluice/http/internal'
import { answerOf, Intake, type ShedOptions } from './intake.ts'
import { type Outcome, outcomeOf } from './place.ts'
import type { Shed } from './shed.ts'
import type { Shedding } from './shedding.ts'

export type { ShedOptions } from './intake.ts'

/** Puts load shedding around handlers; all of them share its places. */
export type ShedAround = <R extends Request, Rest extends readonly unknown[], Answer>(
  handler: (request: R, ...rest: Rest) => Answer | Promise<Answer>,
) => (request: R, ...rest: Rest) => Promise<Answer | Response>

/** The sheddings in which a request holds a place: handlers may be nested. */
const heldBy = new KeptWith<Request, Set<Shedding>>()

function holdersOf(request: Request): Set<Shedding> {
  const known = heldBy.get(request)
  if (known !== undefined) return known
  const none = new Set<Shedding>()
  heldBy.set(request, none)
  return none
}

function refusal(shed: Shed): Response {
  const { status, headers, body } = answerOf(shed)
  const response = new Response(body, { status })
  for (const [name, value] of headers) response.headers.set(name, value)
  return response
}

/** The outcome of a request. Its answer may be anything, as when a runtime upgrades it to a WebSocket; undefined if the handler threw. */
function outcomeFor(request: Request, answer: unknown): Outcome {
  if (request.signal?.aborted) return 'abandoned'
  return answer instanceof Response ? outcomeOf(answer.status) : 'answered'
}

/**
 * Load shedding for Web-standard handlers, as of Hono, h3, Next.js, Bun and Deno: around all that is work, so around rate limits, too.
 * A place is free again when the handler has returned its response; how long its body is read is no work of the handler.
 *
 * @example
 * const around = shed({ priority: ({ url }) => (url.endsWith('/report') ? 'sheddable' : 'default') })
 * Bun.serve({ fetch: around((request) => new Response('hello')) })
 */
export function shed(options: ShedOptions<Request> = {}): ShedAround {
  const intake = new Intake(options)

  return function around(handler) {
    if (typeof handler !== 'function') throw optionError('handler', 'a function', handler)

    return async function guarded(request, ...rest) {
      const holders = holdersOf(request)
      if (holders.has(intake.load)) return handler(request, ...rest)
      const admitted = intake.admit(request, request.headers)
      if (!admitted.allowed) return refusal(admitted)
      holders.add(intake.load)
      let answer: unknown
      try {
        const answered = await handler(request, ...rest)
        answer = answered
        return answered
      } finally {
        holders.delete(intake.load)
        admitted.release(outcomeFor(request, answer))
      }
    }
  }
}
