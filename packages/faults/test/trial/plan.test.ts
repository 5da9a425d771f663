import { describe, expect, it } from '@jest/globals'
import type { Caller } from '../../src/trial/exchange.ts'
import { type Planned, planned } from '../../src/trial/load/plan.ts'
import { processes, rules } from '../../src/trial/settings.ts'

const seconds = 15

/** All that is planned for one process. */
function planFor(server: number): readonly Planned[] {
  const plan: Planned[] = []
  for (let nth = 0; ; nth++) {
    const next = planned(nth, server)
    if (next.dueMs >= seconds * 1000) return plan
    plan.push(next)
  }
}

function keysOf(caller: Caller, plan: readonly Planned[]): readonly string[] {
  return plan.filter(({ ask }) => ask.caller === caller).map(({ ask }) => ask.key)
}

describe('the load of a trial', () => {
  it('is steady', () => {
    const perSecond = planFor(0).length / seconds
    for (let second = 0; second < seconds; second++) {
      const due = planFor(0).filter(({ dueMs }) => Math.floor(dueMs / 1000) === second)
      expect(due.length).toBe(perSecond)
    }
  })

  it('has each first-time caller once, at whichever process', () => {
    const keys = Array.from({ length: processes }, (_, server) =>
      keysOf('first-time', planFor(server)),
    ).flat()
    expect(keys.length).toBe(processes * seconds * 32)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('uses up the limit of the exhausted caller within a second, at each process alone', () => {
    const firstSecond = planFor(0).filter(({ dueMs }) => dueMs < 1000)
    expect(keysOf('exhausted', firstSecond).length).toBeGreaterThan(rules.hour.limit)
  })

  it('asks each process for more than its limit in every second', () => {
    expect(keysOf('busy', planFor(0)).length / seconds).toBeGreaterThan(rules.second.limit)
  })

  it('has a hoarder begin each second, and ask each process for more than its limit, some at once', () => {
    const plan = planFor(0).filter(({ ask }) => ask.caller === 'hoarding')
    const times = new Map<string, Set<number>>()
    for (const { ask, dueMs } of plan) times.set(ask.key, (times.get(ask.key) ?? new Set()).add(dueMs))
    const asks = [...times.keys()].map((key) => plan.filter(({ ask }) => ask.key === key).length)
    // Those with which the load begins and ends have less.
    expect(asks.filter((count) => count > rules.hour.limit).length).toBeGreaterThanOrEqual(seconds - 2)
    expect(plan.length).toBeGreaterThan(2 * [...times.values()].reduce((sum, { size }) => sum + size, 0))
  })
})
