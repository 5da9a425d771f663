import { canonicalAddress } from '@sluice/http/internal'
import type { FastifyRequest } from 'fastify'
import { normalizeIP } from './address.ts'
import type { Counter } from './counters.ts'
import { type Instead, type Params, readMax, readTimeWindow } from './options.ts'
import type { RateLimitResult } from './types.ts'

/** Decides about requests with the options of one route, or of the plugin. */
export class Limiter {
  readonly params: Params
  readonly #counter: Counter
  readonly #instead: Instead

  constructor(params: Params, counter: Counter, instead: Instead) {
    this.params = params
    this.#counter = counter
    this.#instead = instead
  }

  async ask(request: FastifyRequest, counts: boolean): Promise<RateLimitResult> {
    const { keyGenerator, ipv6Subnet, groupId, ban } = this.params
    const network = normalizeIP(request.ip, ipv6Subnet)
    const answer = keyGenerator === undefined ? network : await keyGenerator(request)
    const key = keyForUsers(answer, groupId)
    if (await this.#allows(request, answer, key)) return { isAllowed: true, key }
    const { max: maxOf, timeWindow: windowOf } = this.params
    const max = typeof maxOf === 'number' ? maxOf : readMax(await maxOf(request, key), this.#instead)
    const timeWindow =
      typeof windowOf === 'number' ? windowOf : readTimeWindow(await windowOf(request, key), this.#instead)
    const stored = isTextOrNumber(answer) ? key : keyForUsers(network, groupId)
    const asked = { answer, network, key: stored, max, windowMs: timeWindow, counts }
    const { current, ttl } = await this.#counter.count(asked)
    return {
      isAllowed: false,
      key,
      max,
      timeWindow,
      remaining: Math.max(0, max - current),
      ttl,
      ttlInSeconds: Math.ceil(ttl / 1000),
      isExceeded: current > max,
      isBanned: ban !== -1 && current - max > ban,
    }
  }

  #allows(request: FastifyRequest, answer: unknown, key: string): boolean | Promise<boolean> {
    const { allowList, keyGenerator } = this.params
    if (allowList === undefined) return false
    if (typeof allowList === 'function') return allowList(request, key)
    if (allowList.includes(answer as string)) return true // the list holds strings only, so no other answer is in it
    // The key is the first address of the network; what is listed is the client's own address.
    const address = keyGenerator === undefined ? canonicalAddress(request.ip) : undefined
    return address !== undefined && allowList.some((each) => canonicalAddress(each) === address)
  }
}

/** Whether a user's store can keep a count under it: by an object or a list it would find none again, or that of all objects. */
function isTextOrNumber(answer: unknown): boolean {
  return (
    answer !== '' && (typeof answer === 'string' || typeof answer === 'bigint' || Number.isFinite(answer))
  )
}

/**
 * The key as users' functions get it: what their key generator has answered, followed by the group. An object stays as it is, as not
 * every object can be written as text.
 */
function keyForUsers(answer: unknown, groupId: string | undefined): string {
  if (groupId === undefined || typeof answer === 'object') return answer as string // where it is no string, their generator answered none
  return `${String(answer)}${groupId}`
}
