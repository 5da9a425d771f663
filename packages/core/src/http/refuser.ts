import { STATUS_CODES } from 'node:http'
import type { Refused } from '../decision.ts'
import { optionError } from '../errors.ts'
import { refusedError } from '../refused-error.ts'
import type { Exchange } from './exchange.ts'
import { isLater } from './later.ts'
import type { AnyOptions } from './options.ts'
import { type Field, refusalOf } from './outcome.ts'
import { writtenFields } from './request-state.ts'
import type { Outcome, Refusal } from './view.ts'

/** What may stand in a field: no line end, which would begin another field. */
const fieldText = /^[\t\x20-\x7e\x80-\xff]*$/

interface Refusing extends Outcome {
  readonly decision: Refused
  readonly refusal: Refusal
}

/** Turns a refused decision into what the framework gets: an answer, or an error for its error handler. */
export class Refuser<Req extends object> {
  readonly #onRefused: AnyOptions<Req>['onRefused']
  readonly #byError: boolean

  constructor(onRefused: AnyOptions<Req>['onRefused'], byError: boolean) {
    this.#onRefused = onRefused
    this.#byError = byError
  }

  refuse(
    exchange: Exchange<Req>,
    decision: Refused,
    { headers, accept }: { headers: readonly Field[]; accept: string | undefined },
  ): Outcome | Promise<Outcome> {
    const refusal = refusalOf(decision, accept)
    const answer = this.#onRefused?.(exchange.request, decision, refusal)
    const refused = { decision, headers, refusal }
    return isLater(answer)
      ? this.#changeLater(exchange, refused, answer)
      : this.#change(exchange, refused, answer)
  }

  async #changeLater(
    exchange: Exchange<Req>,
    refused: Refusing,
    answer: PromiseLike<unknown>,
  ): Promise<Outcome> {
    return this.#change(exchange, refused, await answer)
  }

  /** `onRefused` has returned another refusal, or nothing and may have changed the one that it was given. */
  #change(exchange: Exchange<Req>, refused: Refusing, answer: unknown): Outcome {
    const refusal = answer ?? refused.refusal
    if (!isRefusal(refusal))
      throw optionError(
        'onRefused',
        'nothing, or { status, type, body } with a status from 200 to 599',
        answer,
      )
    const { raw, request } = exchange
    const begun = raw.headersSent && !raw.writableEnded
    // An answer that has begun cannot become another one: the client must not take it for a whole one.
    if (begun) raw.destroy()
    // To one that was given meanwhile, by a timeout say, there is nothing to add.
    else if (!this.#byError || raw.headersSent) return { ...refused, refusal }
    const { status, body } = refusal
    throw refusedError(refused.decision, titleOf(body, status), { status, headers: writtenFields(request) })
  }
}

function isRefusal(value: unknown): value is Refusal {
  if (typeof value !== 'object' || value === null) return false
  const { status, type, body } = value as { readonly [name: string]: unknown } // each is looked at
  return isStatus(status) && typeof type === 'string' && fieldText.test(type) && typeof body === 'string'
}

/** What every framework takes. */
function isStatus(status: unknown): boolean {
  return typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599
}

/** An error's message: a refusal's text, or what its status is called. */
function titleOf(body: string, status: number): string {
  return body === '' || body.startsWith('{') ? (STATUS_CODES[status] ?? `status ${status}`) : body
}
