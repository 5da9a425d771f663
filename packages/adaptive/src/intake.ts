import { checkNames, oneOf, optionError, retryAfterSeconds } from '@sluice/core/internal'
import { type PlainAnswer, problemAnswer, type Reply } from '@sluice/http/internal'
import { hold, holds, type Response } from './passage.ts'
import type { Place } from './place.ts'
import type { Priority, Shed } from './shed.ts'
import { type Shedding, shedding } from './shedding.ts'

export interface ShedOptions<Req> {
  /** The shedding that decides; one for all routes of a process. @default shedding() */
  load?: Shedding | undefined
  /**
   * How much a request matters. Read nothing that any client can write: all would say that they are critical. @default 'default'
   *
   * @example (req) => (req.path.startsWith('/pay') ? 'critical' : 'default')
   */
  priority?: Priority | ((request: Req) => Priority) | undefined
}

type Headers = Parameters<Shedding['waitedMs']>[0]

const title = 'Request cannot be satisfied due to temporary server capacity constraints'
// draft-ietf-httpapi-ratelimit-headers, section 5: requested from IANA, not yet registered.
const type = 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity'

/** Answers by their seconds, made once: a refusal because of too much work must cost as little as possible. */
const answers = new Map<number, PlainAnswer>()

/** The answer to a refused request. */
export function answerOf({ retryAfterMs }: Shed): PlainAnswer {
  const seconds = retryAfterSeconds(retryAfterMs)
  const known = answers.get(seconds)
  if (known !== undefined) return known
  const answer = problemAnswer(503, `The service is busy: try again in ${seconds} s.`, {
    more: { type, title, retryAfter: seconds },
    fields: [['Retry-After', String(seconds)]],
  })
  if (answers.size < 1000) answers.set(seconds, answer)
  return answer
}

/** One request, as an adapter knows it. */
interface Entering {
  readonly headers: Headers
  readonly response: Response
  /** The framework's own reply, if that tells whether other code has taken the response over. */
  readonly reply?: Reply
}

/** The part that the adapters have in common. */
export class Intake<Req> {
  readonly load: Shedding
  readonly #priority: Priority | ((request: Req) => Priority)

  constructor(options: ShedOptions<Req>) {
    checkNames(options, '', ['load', 'priority'])
    const { load = shedding(), priority = 'default' } = options
    // `instanceof` fails between two copies of this package.
    if (typeof load?.admit !== 'function') throw optionError('load', 'what shedding() makes', load)
    if (typeof priority !== 'function') oneOf(priority, 'priority', ['critical', 'default', 'sheddable'])
    this.load = load
    this.#priority = priority
  }

  /** The answer to a request that is refused, or undefined where it goes on, with a place. Throws what `priority` throws. */
  enter(request: Req, { headers, response, reply }: Entering): PlainAnswer | undefined {
    const { load } = this
    if (holds(response, load) || response.headersSent) return undefined
    const admitted = this.admit(request, headers)
    if (!admitted.allowed) return answerOf(admitted)
    hold(response, { shedding: load, place: admitted, reply })
    return undefined
  }

  /** A place, or why there is none. Throws what `priority` throws. */
  admit(request: Req, headers: Headers): Place | Shed {
    const { load } = this
    const priority = typeof this.#priority === 'function' ? this.#priority(request) : this.#priority
    return load.admit(priority, load.waitedMs(headers))
  }
}
