import { callsUntilUs } from './draw.ts'
import { changeBy } from './entries.ts'
import { strike } from './faults.ts'
import { aboutEpilogue, mostCalls } from './most.ts'
import type { CallPlan, JobPlan, Plan } from './plan.ts'
import type { Process } from './process.ts'
import { type Stage, World } from './world.ts'

/** Decisions are exact again this long after the store answers. */
const recoveryUs = 5_000_000
/** How long a key of any drawn policy takes to be as new, with all that was reserved, blocked and counted by hand. */
const horizonUs = 15_000_000
/** After how long most queues are empty. */
const drainedUs = 10_000_000
/** How much longer the slowest ones are looked at. */
const slowestUs = 20_000_000
/** How many calls beyond its limit the epilogue makes for a key. */
const epilogueMore = 3
/** The most calls that the epilogue makes for a key. */
const epilogueMost = 16
/** How long after the epilogue everything has ended by itself. */
const endingUs = 9_000_000

/**
 * When processes make a call that only pings, counted from the mend. A process that makes no call does not notice that the other end of
 * its connection is gone; and a key whose state lies ahead of a server's clock is repaired when it is asked for, as by the last of them.
 */
const pingsUs = [100_000, 1_200_000, 3_000_000, recoveryUs]

/** The instant from which on nothing is wrong any more. */
function mendedUs({ faults, calls }: Plan): number {
  const ends = faults.map((fault) => fault.atUs + ('forMs' in fault ? fault.forMs * 1000 : 0))
  return Math.max(callsUntilUs, calls.at(-1)?.atUs ?? 0, ...ends)
}

function pingAll(world: World): void {
  const { time, working } = world
  for (const process of world.living) {
    const { nth, machine } = process
    ask(world, { nth: -1, atUs: time.nowUs, process: nth, operation: 'peek', key: 0, cost: 1, ms: 0 })
    if (working !== undefined) time.at(time.nowUs, () => working.ping(process), { owner: machine })
  }
}

/** Plays a plan to its end, or until something throws. To be called outside of all promise callbacks. */
export function play(plan: Plan, stage: Stage): { readonly world: World; readonly thrown?: unknown } {
  const world = new World(plan, stage)
  try {
    playAll(world)
    return { world }
  } catch (thrown) {
    return { world, thrown }
  }
}

function playAll(world: World): void {
  const { plan, time } = world
  for (let i = 0; i < plan.scenario.processes; i++) world.begin()
  for (const call of plan.calls) time.at(call.atUs, () => ask(world, call))
  for (const job of plan.jobs ?? []) time.at(job.atUs, () => offer(world, job))
  const { leaves } = plan.scenario.queue ?? {}
  if (leaves !== undefined) time.at(leaves.atUs, () => leave(world, leaves))
  const { closes } = plan.scenario
  if (closes !== undefined) time.at(closes.atUs, () => closeOne(world, world.processes[closes.process]))
  for (const fault of plan.faults) time.at(fault.atUs, () => strike(world, fault))
  const mended = mendedUs(plan)
  for (const us of pingsUs) time.at(mended + us, () => pingAll(world))
  time.runUntil(mended + recoveryUs)
  world.sampleHealth('recovered')
  time.runUntil(mended + drainedUs)
  leaveIfDone(world)
  time.runUntil(mended + recoveryUs + horizonUs)
  runUntilDone(world)
  runIntoWindow(world)
  playEpilogue(world)
  look(world)
  time.runUntil(time.nowUs + 1_000_000)
  world.sampleHealth('closing')
  close(world)
  time.runUntil(time.nowUs + endingUs)
}

/** Makes a call. A process that stands still makes it when it goes on. */
function ask(world: World, call: CallPlan, isEpilogue = false): void {
  const process = world.processes[call.process]
  if (process === undefined) return
  world.time.at(world.time.nowUs, () => world.asking.ask(process, call, isEpilogue), {
    owner: process.machine,
  })
}

function offer({ processes, time, working }: World, job: JobPlan): void {
  const process = processes[job.process]
  if (process === undefined) return
  time.at(time.nowUs, () => working?.offer(process, job), { owner: process.machine })
}

function leave(
  { processes, time }: World,
  { process: nth, timeoutMs }: { process: number; timeoutMs: number },
) {
  const process = processes[nth]
  if (process === undefined) return
  time.at(time.nowUs, () => void process.leave(timeoutMs), { owner: process.machine })
}

/** Makes all members leave once the queue is empty: there they would only ask once a second. */
function leaveIfDone(world: World): void {
  if (world.working === undefined || openJobs(world) > 0) return
  for (const { nth } of world.processes) leave(world, { process: nth, timeoutMs: 5000 })
}

/** Where each attempt asks a limiter first, plays on for a while until the jobs have ended: last attempts wait one behind the other. */
function runUntilDone(world: World): void {
  const { time, plan } = world
  if (plan.scenario.queue?.asksLimiter !== true) return
  const latestUs = time.nowUs + slowestUs
  while (openJobs(world) > 0 && time.nowUs < latestUs) time.runUntil(time.nowUs + 1_000_000)
}

/** How many jobs a queue has. */
function openJobs({ record }: World): number {
  return record.entries.reduce((length, entry) => length + changeBy(entry), 0)
}

/** Lets one process that is still alive ask what has become of the jobs. */
function look({ processes, time, working }: World): void {
  const process = processes.find(({ machine }) => !machine.dead)
  if (process !== undefined) time.at(time.nowUs, () => working?.look(process), { owner: process.machine })
}

/** Where windows end by the clock, plays on until the epilogue fits into one window: a caller after its end would find a new one. */
function runIntoWindow({ plan, time, server }: World): void {
  for (const policy of plan.scenario.policies) {
    if (!('byClock' in policy) || !policy.byClock) continue
    const windowUs = policy.windowMs * 1000
    const restUs = windowUs - (server.clockUs % windowUs)
    if (restUs < windowUs / 2) time.runUntil(time.nowUs + restUs)
  }
}

/** Lets every process that is still alive ask for one key at once, more often than the key allows. */
function playEpilogue(world: World): void {
  const isPlaces = world.plan.scenario.policies.some(({ strategy }) => strategy === 'concurrency')
  const fromUs = world.time.nowUs
  const { living } = world
  const { scenario } = world.plan
  const about = { ...aboutEpilogue(scenario), ms: 500, operation: isPlaces ? 'hold' : 'check' } as const
  const count = Math.min(mostCalls(scenario), epilogueMost) + epilogueMore
  for (let nth = 0; nth < count; nth++) {
    const process = living[nth % living.length]?.nth
    if (process === undefined) return
    const call: CallPlan = { ...about, nth: -1 - nth, process, atUs: fromUs }
    world.time.at(fromUs + nth, () => ask(world, call, true))
  }
}

function close(world: World): void {
  world.closingUs = world.time.nowUs
  for (const process of world.living) closeOne(world, process)
}

function closeOne(world: World, process: Process | undefined): void {
  if (process === undefined || process.machine.dead) return
  const { nth, machine } = process
  const closing = async () => {
    await process.close()
    world.closed.add(nth)
  }
  world.leaving.add(nth)
  machine.arrives(0, () => void closing())
}
