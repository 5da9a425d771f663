import type { Decision, Subject } from '@sluice/core'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments, KeptWith } from '@sluice/http/internal'
import type { Platform } from './facts.ts'
import {
  decisionOf,
  type FetchHandle,
  failed,
  type KnownAddress,
  RequestLimit,
  refusalResponse,
  withAddress,
} from './request-limit.ts'

/** As much of SvelteKit's event as a limiter needs. */
export interface KitEvent {
  readonly request: Request
  readonly route: { readonly id: string | null }
  /** Whether the server itself sends the request, by `event.fetch`. */
  readonly isSubRequest: boolean
  readonly locals: App.Locals
  /** With adapter-node it has Node's own request. */
  readonly platform?: object | undefined
  getClientAddress(): string
}

declare global {
  namespace App {
    interface Locals {
      /** The binding decision so far; undefined when skipped. */
      rateLimit?: Decision | undefined
    }
  }
}

/** SvelteKit's `handle`. */
export type KitHandle = <E extends KitEvent>(input: {
  event: E
  resolve(event: E): Response | Promise<Response>
}) => Promise<Response>

const kit: Platform<KitEvent> = {
  requestOf: ({ request }) => request,
  routeOf: ({ route }) => route.id ?? undefined,
  nodeOf: ({ platform }) => platform,
}

/** The first event of a request: `sequence` hands a copy to each of its handles, all of them for one request. */
const events = new KeptWith<Request, KitEvent>()

function firstOf(event: KitEvent): KitEvent {
  const known = events.get(event.request)
  if (known !== undefined) return known
  events.set(event.request, event)
  return event
}

function addressOf(event: KitEvent): string | undefined {
  return event.getClientAddress()
}

/**
 * Rate limiting for SvelteKit: the `handle` of `src/hooks.server.ts`, or a part of its `sequence`. Requests that the server sends to
 * itself are not counted.
 *
 * @example
 * export const handle = rateLimit({ policy: gcra({ count: 100, period: '1m' }) })
 */
export function rateLimit<N extends string = 'default', S = Subject<N>, E extends KitEvent = KitEvent>(
  options: PolicyOrPoliciesOrLimiter<E, N, S> & KnownAddress<E, readonly []>,
  ...more: []
): KitHandle & FetchHandle<KitEvent, N, readonly []> {
  checkArguments(options, more)
  const limit = new RequestLimit<KitEvent>(withAddress(options, addressOf), kit)

  const rateLimit: KitHandle = async ({ event: own, resolve }) => {
    if (own.isSubRequest) return resolve(own)
    const event = firstOf(own)
    const passage = limit.enter(event, [])
    let response: Response
    try {
      const { refusal, work } = await limit.ask(passage, event, []).finally(() => {
        Object.assign(event.locals, { rateLimit: decisionOf(event) })
      })
      work?.begin()
      try {
        response = refusal === null ? await resolve(own) : refusalResponse(refusal)
      } finally {
        work?.end()
      }
    } catch (thrown) {
      failed(thrown, event, passage)
      throw thrown
    }
    return passage.leave(response)
  }

  const { keyOf, decisionFor, ...handle } = limit.handle<object, N, readonly []>({})
  return Object.assign(rateLimit, handle, {
    keyOf: (event: KitEvent) => keyOf(firstOf(event)),
    decisionFor: (event: KitEvent) => decisionFor(firstOf(event)),
  })
}
