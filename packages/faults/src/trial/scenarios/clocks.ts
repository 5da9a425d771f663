import { RedisProcess } from '../../outage/redis-process.ts'
import { SteppedClock, whyNoSteppedServer } from '../../outage/stepped-clock.ts'
import { behindProxy, type Place } from '../places.ts'
import { type Framework, processes } from '../settings.ts'
import type { Trial } from '../trial.ts'

const hourSeconds = 3600

interface Clocks extends Place {
  readonly clocks: readonly SteppedClock[]
}

/** Each process of a framework has a Date of its own. */
async function withDates(): Promise<Clocks> {
  const place = await behindProxy()
  const clocks = Array.from({ length: processes }, () => new SteppedClock())
  return {
    ...place,
    clocks,
    environmentOf: (server) => clocks[server]?.forNode ?? {},
    async end() {
      await place.end()
      for (const clock of clocks) clock.end()
    },
  }
}

interface Step {
  readonly direction: 'ahead' | 'behind'
  readonly framework: Framework
}

const secondsOf = ({ direction }: Step) => (direction === 'ahead' ? hourSeconds : -hourSeconds)

/** The Date of the first few processes is off for a while, and right again. */
function dateStep(stepped: number, step: Step): Trial<Clocks> {
  return {
    title: `a Date that goes an hour ${step.direction} in ${stepped} of ${processes} processes, and back`,
    frameworks: [step.framework],
    place: withDates,
    sees: 'nothing',
    bounds: { limits: 1, exactWithinMs: 0, because: 'no decision looks at it' },
    async befall({ place: { clocks } }) {
      const these = clocks.slice(0, stepped)
      for (const clock of these) clock.step(secondsOf(step))
      return async () => {
        for (const clock of these) clock.step(0)
      }
    },
  }
}

async function withServerClock(): Promise<Clocks> {
  const clock = new SteppedClock()
  const server = await RedisProcess.prepare([], { environment: clock.forServer() })
  await server.start()
  return {
    redis: server.url,
    clocks: [clock],
    async end() {
      await server.end()
      clock.end()
    },
  }
}

/** Redis decides by its own clock: ahead, all windows are over at once; behind, what was admitted counts as admitted now. */
function serverStep(step: Step): Trial<Clocks> {
  return {
    title: `a Redis clock that goes an hour ${step.direction}`,
    frameworks: [step.framework],
    place: withServerClock,
    skipped: whyNoSteppedServer(),
    forgets: step.direction === 'ahead',
    bounds: {
      refusedEarly: Number.POSITIVE_INFINITY,
      exactWithinMs: 2000,
      because: 'a window begins anew, the shorter of which lasts a second',
    },
    lastsMs: 0,
    sees: 'anything',
    async befall({ place: { clocks } }) {
      for (const clock of clocks) clock.step(secondsOf(step))
      return async () => {}
    },
  }
}

export const clockSteps: readonly Trial<Clocks>[] = [
  dateStep(1, { direction: 'ahead', framework: 'express' }),
  dateStep(1, { direction: 'behind', framework: 'fastify' }),
  dateStep(2, { direction: 'ahead', framework: 'koa' }),
  dateStep(2, { direction: 'behind', framework: 'express' }),
  serverStep({ direction: 'ahead', framework: 'fastify' }),
  serverStep({ direction: 'behind', framework: 'koa' }),
]
