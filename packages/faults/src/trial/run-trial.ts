import { setTimeout as elapse } from 'node:timers/promises'
import type { Cure } from '../outage/troubles.ts'
import { type Exchange, nowMs } from './exchange.ts'
import { type Bounds, boundsOf } from './judge/bounds.ts'
import type { Course } from './judge/course.ts'
import { type Judgement, judge } from './judge/judge.ts'
import { Load } from './load/load.ts'
import type { Place } from './places.ts'
import { ServerProcess } from './server-process.ts'
import { type Framework, processes } from './settings.ts'
import type { Stage, Trial } from './trial.ts'

/** How long the load runs until the exhausted caller has used up its limit, and then again until the trouble. */
const warmMs = 1000
/** How long the load continues after the bound, to see that everything is exact then. */
const steadyMs = 1500

/** The requests, and the times of the trial's phases. */
type Observed = Pick<
  Course,
  'exchanges' | 'machine' | 'warmAtMs' | 'befellAtMs' | 'endingAtMs' | 'mendedAtMs'
>

interface Trouble {
  readonly befellAtMs: number
  readonly cure: Cure
}

/** Runs a trial on all its frameworks at once. */
export async function runTrial(trial: Trial): Promise<ReadonlyMap<Framework, Judgement>> {
  const place = await trial.place()
  const servers: ServerProcess[] = []
  try {
    const early = trial.befallsFirst ? await befall(trial, { place, servers }) : undefined
    servers.push(...(await startServers(trial, place)))
    const observed = await underLoad(trial, { place, servers }, early)
    return await judged(trial, servers, observed)
  } finally {
    for (const server of servers) server.kill()
    await place.end()
  }
}

async function befall(trial: Trial, stage: Stage): Promise<Trouble> {
  const befellAtMs = nowMs()
  return { befellAtMs, cure: await trial.befall(stage) }
}

function startServers({ frameworks, choices }: Trial, place: Place): Promise<ServerProcess[]> {
  const { redis, environment = {} } = place
  const wanted = frameworks.flatMap((framework) =>
    Array.from({ length: processes }, () => ({ ...choices, framework, redis })),
  )
  return Promise.all(wanted.map((settings) => ServerProcess.start(settings, environment)))
}

async function underLoad(trial: Trial, stage: Stage, early: Trouble | undefined): Promise<Observed> {
  const load = await Load.start(
    stage.servers.map(({ framework, port, pid }, i) => ({ framework, port, pid, server: i % processes })),
  )
  try {
    await elapse(warmMs)
    const warmAtMs = nowMs()
    await elapse(warmMs)
    const { befellAtMs, cure } = early ?? (await befall(trial, stage))
    await elapse(trial.lastsMs ?? 2000)
    const endingAtMs = nowMs()
    await cure()
    const mendedAtMs = nowMs()
    const { exactWithinMs } = boundsFor(trial)
    await elapse((Number.isFinite(exactWithinMs) ? exactWithinMs : 0) + steadyMs)
    return { ...(await load.stop()), warmAtMs, befellAtMs, endingAtMs, mendedAtMs }
  } finally {
    load.kill()
  }
}

function boundsFor({ choices, bounds }: Trial): Bounds {
  return { ...boundsOf(choices?.onStoreFailure ?? 'local'), ...bounds }
}

/** Asks the servers how they are, then to end, and judges all that. */
async function judged(
  trial: Trial,
  servers: readonly ServerProcess[],
  observed: Observed,
): Promise<ReadonlyMap<Framework, Judgement>> {
  const healths = await Promise.all(servers.map((server) => server.health()))
  const ends = await Promise.all(servers.map((server) => server.end()))
  const { choices, forgets = false, sees = 'outage' } = trial
  const rules = { choice: choices?.onStoreFailure ?? 'local', forgets, sees, bounds: boundsFor(trial) }
  return new Map(
    trial.frameworks.map((framework): [Framework, Judgement] => {
      const isOwn = (_: unknown, i: number) => servers[i]?.framework === framework
      const exchanges = observed.exchanges.filter((exchange: Exchange) => exchange.framework === framework)
      const seen = { ...observed, exchanges, healths: healths.filter(isOwn), ends: ends.filter(isOwn) }
      return [framework, judge({ ...rules, ...seen })]
    }),
  )
}
