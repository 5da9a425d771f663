import type { AskedPath, PathPart } from '@sluice/limits'
import { leftOf } from './decide.ts'
import { code, type DescriptorStatus, type RateLimitRequest, units } from './grpc/messages.ts'

/** The most descriptors of a request, and the most entries of a descriptor: each is a question to the store. */
const mostDescriptors = 100
const mostEntries = 60
/** The largest number that the protocol can say. */
const mostUint32 = 2 ** 32 - 1

/** A request that cannot be answered. The message is for its sender, and `status` is the one in HTTP. */
export class InvalidRequest extends Error {
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/**
 * The paths that a request asks about: its domain, then key and value of each entry. Throws an InvalidRequest.
 *
 * @example `shop`, [["user", "alex"], ["path", "/pay"]] asks about shop/user/alex/path/%2Fpay
 */
export function pathsOf({ domain, descriptors, hitsAddend }: RateLimitRequest): readonly AskedPath[] {
  if (domain === '') throw new InvalidRequest('domain: expected a name, got ""')
  if (descriptors.length === 0) throw new InvalidRequest('descriptors: expected at least one')
  if (descriptors.length > mostDescriptors)
    throw new InvalidRequest(`descriptors: expected at most ${mostDescriptors}, got ${descriptors.length}`)
  return descriptors.map(({ entries, hitsAddend: own }, i) => {
    const at = `descriptors[${i}]`
    if (entries.length === 0 || entries.length > mostEntries)
      throw new InvalidRequest(`${at}.entries: expected 1 to ${mostEntries}, got ${entries.length}`)
    const path = [domain]
    for (const { key, value } of entries) {
      if (key === '') throw new InvalidRequest(`${at}.entries: expected a key, got ""`)
      // An empty value is a value: a client that sends an empty header has a count like any other.
      path.push(key, value)
    }
    const hits = own === null ? hitsAddend || 1 : own.value
    if (!Number.isSafeInteger(hits))
      throw new InvalidRequest(`${at}.hits_addend: expected at most ${Number.MAX_SAFE_INTEGER}`)
    return { path, cost: hits }
  })
}

/** The status of a descriptor: that of the limit that refuses, or that has the fewest left. */
export function statusOf({ allowed, levels, end }: PathPart): DescriptorStatus {
  const status = { code: allowed ? code.ok : code.overLimit }
  if (end.says === 'unlimited') return { ...status, limitRemaining: mostUint32 }
  const [first, ...others] = levels.filter((level) => allowed || !level.allowed)
  if (first === undefined) return status
  const binding = others.reduce((least, level) => (leftOf(level) < leftOf(least) ? level : least), first)
  return {
    ...status,
    currentLimit: {
      name: end.name ?? binding.policy,
      requestsPerUnit: wholeOf(binding.limit),
      unit: units.get(binding.windowMs ?? 0) ?? 0,
    },
    limitRemaining: wholeOf(leftOf(binding)),
    durationUntilReset: durationOf(binding.retryAfterMs ?? binding.resetAfterMs),
  }
}

/** The protocol has no fractions: what a limit with a unit has left is rounded down. */
function wholeOf(amount: number): number {
  return Math.min(mostUint32, Math.floor(amount))
}

function durationOf(ms: number): { seconds: number; nanos: number } {
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1e6 }
}
