import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { Lateness } from '../../src/trial/load/lateness.ts'
import { MachineWatch } from '../../src/trial/load/machine.ts'

jest.mock('node:os', () => ({ availableParallelism: () => 2 }))

describe('lateness', () => {
  let lateness: Lateness
  let nowMs: number
  let cpuMs: number
  beforeEach(() => {
    jest.useFakeTimers()
    nowMs = 1000
    cpuMs = 300
    lateness = new Lateness({ nowMs: () => nowMs, cpuMs: () => cpuMs })
  })
  afterEach(() => {
    lateness.stop()
    jest.useRealTimers()
  })

  /** The process stands still for 60 ms, in which it had a core for some. */
  function standStill(hadCoreMs: number): void {
    nowMs += 60
    cpuMs += hadCoreMs
  }

  const seen = () => [lateness.totalMs, lateness.withheldMs]

  it('is withheld where this process had no core', () => {
    standStill(0)
    expect(seen()).toEqual([55, 55])
  })

  it('is its own where it had one', () => {
    standStill(60)
    expect(seen()).toEqual([55, 0])
  })

  it('is withheld in part where it had one for a part', () => {
    standStill(15)
    expect(seen()).toEqual([55, 40])
  })

  it('is none where a timer is a little late', () => {
    nowMs += 9
    expect(seen()).toEqual([0, 0])
  })

  it('adds up from look to look', () => {
    standStill(60)
    jest.advanceTimersByTime(5)
    standStill(0)
    expect(seen()).toEqual([110, 55])
    jest.advanceTimersByTime(5)
    expect(seen()).toEqual([110, 55])
  })

  it('is looked at until it is stopped', () => {
    expect(jest.getTimerCount()).toBe(1)
    lateness.stop()
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('the watch on the machine', () => {
  const none = { ranMs: 0, waitedMs: 0 }
  const lateness = { withheldMs: 0 }
  let times: { ranMs: number; waitedMs: number }[]
  let watch: MachineWatch

  beforeEach(() => {
    jest.useFakeTimers()
    lateness.withheldMs = 0
    times = [{ ranMs: 500, waitedMs: 300 }, { ...none }]
    watch = new MachineWatch([0, 1], lateness, (pid) => times[pid] ?? none)
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  type Times = readonly { readonly ranMs?: number; readonly waitedMs?: number }[]

  /** A tenth of a second passes, in which the servers run and wait so long. */
  function pass(...servers: Times): void {
    jest.advanceTimersByTime(100)
    for (const [i, { ranMs = 0, waitedMs = 0 }] of servers.entries()) {
      const known = times[i] ?? none
      times[i] = { ranMs: known.ranMs + ranMs, waitedMs: known.waitedMs + waitedMs }
    }
    watch.look()
  }

  /** The second in which servers compile their code. */
  function warmUp(...servers: Times): void {
    for (let i = 0; i < 10; i++) pass(...servers)
  }

  it('sees nothing of the first second', () => {
    warmUp({ ranMs: 100, waitedMs: 70 }, { ranMs: 90 })
    warmUp({ ranMs: 20, waitedMs: 5 })
    expect(watch.seen).toEqual({ longestStallMs: 5, mostOfOne: 0.2, mostOfAll: 0.1 })
  })

  it('sees the longest stall of a server between two looks', () => {
    warmUp()
    pass({ waitedMs: 30 }, { waitedMs: 10 })
    pass({ waitedMs: 5 }, { waitedMs: 70 })
    pass({ waitedMs: 60 })
    expect(watch.seen.longestStallMs).toBe(70)
  })

  it('sees that of the load', () => {
    warmUp()
    lateness.withheldMs = 80
    pass()
    lateness.withheldMs = 170
    pass()
    expect(watch.seen.longestStallMs).toBe(90)
  })

  it('sees what the servers take of the cores in a second, and not what they took before', () => {
    warmUp()
    for (let i = 0; i < 10; i++) pass({ ranMs: 60 }, { ranMs: 20 })
    for (let i = 0; i < 10; i++) pass({ ranMs: 10 }, { ranMs: 10 })
    expect(watch.seen.mostOfOne).toBeCloseTo(0.6)
    expect(watch.seen.mostOfAll).toBeCloseTo(0.4)
  })

  it('takes no second for a shorter time', () => {
    warmUp()
    for (let i = 0; i < 9; i++) pass({ ranMs: 100 })
    expect(watch.seen.mostOfOne).toBe(0)
  })

  it('takes a server that has ended for one that does nothing', () => {
    warmUp()
    times[0] = none
    for (let i = 0; i < 10; i++) pass()
    expect(watch.seen).toEqual({ longestStallMs: 0, mostOfOne: 0, mostOfAll: 0 })
  })
})
