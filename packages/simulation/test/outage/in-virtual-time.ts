import { strike } from '../../src/history/faults.ts'
import type { FaultPlan, Scenario } from '../../src/history/plan.ts'
import { makeStage, World } from '../../src/history/world.ts'
import { bundleCode } from '../../src/inside/bundle.ts'
import { inOwnTurn } from '../../src/world/microtasks.ts'
import { courseOf, deadlineMs, lateMs, limit, type Outage } from './course.ts'

const scenario: Scenario = {
  processes: 2,
  policies: [
    {
      name: 'default',
      strategy: 'fixedWindow',
      limit,
      windowMs: 3_600_000,
      byClock: false,
      onStoreFailure: 'local',
      shadow: false,
      blockForMs: 0,
    },
  ],
  charge: 'all-or-nothing',
  aheadMs: 0,
  deadlineMs,
  connectDeadlineMs: 1000,
  refusalCacheMs: 0,
  maxKeys: 1000,
  shares: 0,
  wayUs: 100,
  jitterUs: 0,
  apart: false,
  replicated: false,
}

/** The same outage as histories have it. */
function faultOf(outage: Outage, atUs: number, forMs: number): FaultPlan {
  switch (outage) {
    case 'lost replies':
      return { kind: 'lose', atUs, process: 0, requests: 0, replies: 1, forMs }
    case 'late replies':
      return { kind: 'delay', atUs, process: 0, ms: lateMs / 2, forMs }
    case 'silent connections':
      return { kind: 'half-open', atUs, process: 0, forMs }
    case 'a hang':
      return { kind: 'hang', atUs, forMs }
    case 'a reset':
    case 'half of a connection that ends':
      return { kind: 'reset', atUs, process: 0, forMs: 0 }
    case 'refused connections':
      return { kind: 'reset', atUs, process: 0, forMs }
    case 'a restart without data':
      return { kind: 'restart', atUs, forMs, keepsData: false }
    case 'READONLY':
    case 'OOM':
    case 'MISCONF':
      return { kind: 'no-writes', atUs, why: outage, forMs }
    case 'BUSY':
      return { kind: 'busy', atUs, forMs }
    case 'lost scripts':
      return { kind: 'flush-scripts', atUs }
    case 'a clock an hour ahead':
      return { kind: 'server-clock', atUs, ms: 3_600_000 }
  }
}

const endUs = 60_000_000

/** Plays the course on the simulated server. */
export async function courseInVirtualTime(outage: Outage): Promise<readonly string[]> {
  const stage = makeStage(await bundleCode())
  const playing = inOwnTurn(() => {
    const world = new World({ seed: 1, scenario, calls: [], faults: [] }, stage)
    const { time } = world
    const { limiter, machine } = world.begin()
    const { limiter: witness } = world.begin()
    const elapse = (ms: number) => new Promise<void>((resolve) => machine.arrives(ms * 1000, resolve))
    const befall = async (what: Outage, forMs: number) => {
      strike(world, faultOf(what, time.nowUs, forMs))
      return { over: elapse(forMs) }
    }
    const course = courseOf({ limiter, witness, befall, elapse }, outage)
    time.settle()
    time.runUntil(endUs)
    return { course }
  })
  return (await playing).course
}
