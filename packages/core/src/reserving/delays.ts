import { isLater } from '../answers.ts'
import type { Decision } from '../decision/decision.ts'
import { verdictsBehind } from '../decision/limiter-decision.ts'
import {
  mustGoOn,
  Sleep,
  type Sleepers,
  type SleepersOwner,
  sleepersOf,
  type Turn,
  warnOfTooMany,
} from '../waiting/sleepers.ts'
import { type Ends, type Jitter, lengthened, type Wait } from '../waiting/wait.ts'
import { spacingMs } from './options.ts'

/** Reserves for one caller, no further ahead than `maxWaitUs`. */
type Reserve = (maxWaitUs: number) => Decision | Promise<Decision>

/** Reserves, and answers the decision when the reservation is due: at once if there is nothing to wait for, or if it is refused. */
export function delayed(owner: SleepersOwner, reserve: Reserve, wait: Wait): Decision | Promise<Decision> {
  mustGoOn(owner, wait)
  const sleepers = sleepersOf(owner)
  if (!sleepers.enter()) return withoutPlace(owner, reserve, wait)
  let decision: Decision | Promise<Decision>
  try {
    decision = reserve(wait.maxWaitUs)
  } catch (error) {
    sleepers.leave()
    throw error
  }
  return isLater(decision) ? sleepLater(owner, decision, wait) : startSleep(sleepers, decision, wait)
}

/** No async function: with thousands of callers each would keep a frame of its own. */
function sleepLater(owner: SleepersOwner, decision: Promise<Decision>, wait: Wait): Promise<Decision> {
  const sleepers = sleepersOf(owner)
  return decision.then(
    (reserved) => {
      try {
        mustGoOn(owner, wait)
      } catch (error) {
        sleepers.giveUp({ turn: sleepers.turns++, decision: reserved })
        throw error
      }
      return startSleep(sleepers, reserved, wait)
    },
    (error: unknown) => {
      sleepers.leave()
      throw error
    },
  )
}

/** For a caller without a place among the sleepers: the store is asked without a wait, so it is refused only if it would have to wait. */
function withoutPlace(owner: SleepersOwner, reserve: Reserve, wait: Wait): Decision | Promise<Decision> {
  const decision = reserve(0)
  return isLater(decision)
    ? decision.then((decided) => withoutDelay(owner, decided, wait))
    : withoutDelay(owner, decision, wait)
}

function withoutDelay(owner: SleepersOwner, decision: Decision, wait: Wait): Decision {
  try {
    mustGoOn(owner, wait)
  } catch (error) {
    void decision.refund()
    throw error
  }
  if (decision.reason === 'limited') warnOfTooMany(owner)
  return decision
}

function startSleep(sleepers: Sleepers, decision: Decision, wait: Wait): Decision | Promise<Decision> {
  const { waitMs } = decision
  if (waitMs === 0) {
    sleepers.leave()
    return decision
  }
  wait.reserved?.(waitMs)
  return new Promise((resolve, reject) => {
    const caller = new DelayedCaller(sleepers, decision, { resolve, reject, wait })
    sleepers.put(caller, lengthOf(decision, wait.jitter))
  })
}

/** A caller that sleeps until its reservation is due. */
class DelayedCaller extends Sleep<Decision> implements Turn {
  readonly turn: number
  readonly decision: Decision

  constructor(sleepers: Sleepers, decision: Decision, about: Ends<Decision> & { readonly wait: Wait }) {
    super(sleepers, about.wait.signal, about)
    this.turn = sleepers.turns++
    this.decision = decision
  }

  woken(): void {
    this.sleepers.leave()
    this.resolve(this.decision)
  }

  failed(error: unknown): void {
    this.sleepers.giveUp(this)
    this.reject(error)
  }
}

/** How many milliseconds the caller sleeps. If no store has spaced the callers (source 'none'), chance does. */
function lengthOf(decision: Decision, jitter: Jitter | undefined): number {
  const { waitMs, source } = decision
  return jitter === undefined && source !== 'none'
    ? waitMs
    : lengthened(waitMs, spacingMs(verdictsBehind(decision)), jitter)
}
