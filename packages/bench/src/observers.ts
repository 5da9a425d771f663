import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { createLimiter, type Observer, type Policy } from '@sluice/core'
import { memorySink, opentelemetry, prometheus, recorder } from '@sluice/telemetry'
import { Registry } from 'prom-client'
import { inChild } from './child.ts'
import { keysOf, narrow, wide } from './policies.ts'
import { above, type Contender, microsecondsEach, type Pace, race } from './rounds.ts'
import { named, type Section, sectionOf } from './section.ts'

export const observerNames = {
  none: 'no observer, the whole decision',
  nothing: 'an observer that does nothing',
  prometheus: 'prometheus',
  opentelemetry: 'opentelemetry, with an SDK',
  noSdk: 'opentelemetry, without an SDK',
  recorder: 'recorder',
}

export const observerSections = { admitted: 'observers-admitted', refused: 'observers-refused' }

/** In a process of its own, as `memoryInChild`. */
export async function observersInChild({ rounds, turnMs }: Pace): Promise<readonly Section[]> {
  return JSON.parse(await inChild('observers-child.js', [rounds, turnMs].map(String)))
}

export async function observerTimes(pace: Pace): Promise<readonly Section[]> {
  return [
    await added(wide.counter, {
      id: observerSections.admitted,
      title: 'What an observer adds to an admission',
      pace,
    }),
    await added(narrow.counter, {
      id: observerSections.refused,
      title: 'What an observer adds to a refusal',
      pace,
    }),
  ]
}

/** What each observer adds to a decision in memory, compared with no observer, round by round. */
async function added(
  policy: Policy,
  { id, title, pace }: { id: string; title: string; pace: Pace },
): Promise<Section> {
  const contenders = [
    checks(observerNames.none, policy, []),
    checks(observerNames.nothing, policy, [{ decided() {} }]),
    checks(observerNames.prometheus, policy, [prometheus({ register: new Registry() })]),
    checks(observerNames.opentelemetry, policy, [opentelemetry({ meter: meter() })]),
    checks(observerNames.noSdk, policy, [opentelemetry()]),
    checks(observerNames.recorder, policy, [recorder(memorySink())]),
  ]
  const laps = await race(contenders, pace, microsecondsEach)
  const base = named(laps, observerNames.none)
  return sectionOf({ id, title, unit: 'µs', ratiosTo: [] }, [
    base,
    ...laps.slice(1).map((each) => above(each, base)),
  ])
}

function checks(name: string, policy: Policy, observers: readonly Observer[]): Contender {
  const limiter = createLimiter({ policy, observers })
  const keys = keysOf(1000)
  let at = 0
  return {
    name,
    async run(times) {
      for (let i = 0; i < times; i++) {
        await limiter.check(keys[at] ?? '')
        at = at + 1 === keys.length ? 0 : at + 1
      }
    },
  }
}

/** An SDK that collects no sooner than the run has ended. */
function meter(): ReturnType<MeterProvider['getMeter']> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  return new MeterProvider({ readers: [reader] }).getMeter('bench')
}
