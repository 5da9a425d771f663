import { SteppedClock } from '../../outage/stepped-clock.ts'
import { behindProxy, type Place } from '../places.ts'
import type { Trial } from '../trial.ts'

const hourSeconds = 3600

interface Dated extends Place {
  /** The clock of all processes. */
  readonly clock: SteppedClock
}

async function withDates(): Promise<Dated> {
  const place = await behindProxy()
  const clock = new SteppedClock()
  return {
    ...place,
    clock,
    environment: clock.forNode,
    async end() {
      await place.end()
      clock.end()
    },
  }
}

export const datesBehind: Trial<Dated> = {
  title: 'a Date that goes an hour behind in all processes, and back',
  frameworks: ['express'],
  place: withDates,
  sees: 'nothing',
  bounds: { limits: 1, exactWithinMs: 0, because: 'no decision looks at it' },
  async befall({ place: { clock } }) {
    clock.step(-hourSeconds)
    return async () => clock.step(0)
  },
}
