import type { Act, Key } from '@sluice/core'
import { limiters } from '@sluice/core/internal'
import { canonicalAddress, networkOfCanonical } from './address.ts'
import type { AnyOptions } from './options.ts'
import type { Rules } from './rules.ts'

/** Acts on one key; acts on lists are about addresses anyway. */
const acts: readonly Act['act'][] = ['block', 'unblock', 'reset', 'set']

interface About {
  readonly settings: ReturnType<typeof limiters.settingsFor>
  readonly rules: Pick<Rules, 'ipv6Prefix'>
  /** Lanes of another limiter that are decided in one question with its own. */
  readonly inherited?: readonly limiters.Lane[]
}

/** The limiter of a gate. Where clients are counted by network, it warns of an act on an address that is no client's key. */
export function limiterFor<Req>(
  { key }: AnyOptions<Req>,
  { settings, rules, inherited }: About,
): limiters.PolicyLimiter {
  if (key !== undefined) return new limiters.PolicyLimiter(settings, inherited)
  const watcher = {
    acted({ act, key }: Act) {
      if (acts.includes(act) && !isAsCounted(key, rules.ipv6Prefix))
        limiter.warned({ code: 'SLUICE_NOT_A_NETWORK', message })
    },
  }
  const limiter = new limiters.PolicyLimiter(
    { ...settings, observers: [...settings.observers, watcher] },
    inherited,
  )
  return limiter
}

const message =
  'an address was reset, blocked or set, but clients are counted by network, so none has that key: use networkOf(address) of @sluice/http, with the ipv6Prefix of the middleware'

/** Whether an address or a network is spelled as it is counted; true for a key that is neither. */
function isAsCounted(key: Key, ipv6Prefix: number): boolean {
  if (typeof key !== 'string') return true
  const address = canonicalAddress(/^(.*)\/\d{1,3}$/.exec(key)?.[1] ?? key)
  return address === undefined || networkOfCanonical(address, ipv6Prefix) === key
}
