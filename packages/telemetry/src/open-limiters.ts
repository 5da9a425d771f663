import type { AheadHealth, LimiterHealth, Observed } from '@sluice/core'
import { Bounded, Room } from './bounded.ts'
import { maxNames } from './ledger.ts'
import { byName, type Value } from './values.ts'

const states = { closed: 0, 'half-open': 1, open: 2 }

/** The open limiters, whose health is read when metrics are collected. */
export class OpenLimiters {
  readonly #open = new Set<Observed>()
  /** Decisions of closed limiters from units taken ahead: the metric counts them too, as a counter never falls. */
  readonly #aheadBefore = new Bounded(new Room(maxNames), () => ({ decisions: 0 }))

  add(limiter: Observed): void {
    this.#open.add(limiter)
  }

  delete(limiter: Observed): void {
    const ahead = this.#open.delete(limiter) ? healthOf(limiter)?.ahead : undefined
    if (ahead !== undefined) this.#aheadBefore.of(limiter.name).decisions += ahead.decisions
  }

  sleepers(): readonly Value[] {
    const sleepers = this.#healths().map(({ name, health }) => [name, health.sleepers] as const)
    return byName('limiter', sleepers, (one, other) => one + other)
  }

  aheadUnits(): readonly Value[] {
    const units = this.#ahead().map(({ name, ahead }) => [name, ahead.inHand] as const)
    return byName('limiter', units, (one, other) => one + other)
  }

  aheadDecisions(): readonly Value[] {
    const closed = [...this.#aheadBefore.entries()].map(([name, { decisions }]) => [name, decisions] as const)
    const open = this.#ahead().map(({ name, ahead }) => [name, ahead.decisions] as const)
    return byName('limiter', [...closed, ...open], (one, other) => one + other)
  }

  #ahead(): readonly { readonly name: string; readonly ahead: AheadHealth }[] {
    return this.#healths().flatMap(({ name, health: { ahead } }) =>
      ahead === undefined ? [] : [{ name, ahead }],
    )
  }

  /** 1 where a limiter of the name could not read its changed file and keeps what was in force before. */
  failedReloads(): readonly Value[] {
    const failed = this.#healths().map(
      ({ name, health }) => [name, health.failedReloads === undefined ? 0 : 1] as const,
    )
    return byName('limiter', failed, Math.max)
  }

  reloads(): readonly Value[] {
    const reloads = this.#healths().map(({ name, health }) => [name, health.reloads ?? 0] as const)
    return byName('limiter', reloads, (one, other) => one + other)
  }

  /** For stores with the same name, the worst state. */
  breakers(): readonly Value[] {
    const known = this.#healths().flatMap(({ health: { store, breaker } }) =>
      breaker === undefined ? [] : [[store, states[breaker]] as const],
    )
    return byName('store', known, Math.max)
  }

  #healths(): readonly { readonly name: string; readonly health: LimiterHealth }[] {
    return [...this.#open].flatMap((limiter) => {
      const health = healthOf(limiter)
      return health === undefined ? [] : [{ name: limiter.name, health }]
    })
  }
}

/** undefined if it throws: a custom store must not prevent the other metrics. */
function healthOf(limiter: Observed): LimiterHealth | undefined {
  try {
    return limiter.health()
  } catch {
    return undefined
  }
}
