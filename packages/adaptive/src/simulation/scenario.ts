/** A service of known capacity, and its load. Seconds are those of the simulation. */
export interface Scenario {
  readonly name: string
  readonly seconds: number
  /** Workers: requests beyond them queue in the service, in their order. */
  workers(atSeconds: number): number
  /** The mean time that a worker takes. The times are exponentially distributed. */
  serviceMs(atSeconds: number): number
  /** Requests in a second, which arrive independently of each other. */
  load(atSeconds: number): number
}

const workers = 20
const serviceMs = 20
const seconds = 90

function between(from: number, until: number): (atSeconds: number) => boolean {
  return (atSeconds) => atSeconds >= from && atSeconds < until
}

const middle = between(30, 60)
/** Twenty workers of 20 ms serve a thousand requests a second. */
const usual = { seconds, workers: () => workers, serviceMs: () => serviceMs, load: () => 900 }

export const scenarios: readonly Scenario[] = [
  { ...usual, name: 'steady', load: () => 800 },
  { ...usual, name: 'step of load', load: (at) => (middle(at) ? 2000 : 500) },
  { ...usual, name: 'ramp of load', load: (at) => 200 + 2800 * Math.max(0, 1 - Math.abs(at - 45) / 45) },
  { ...usual, name: 'slow dependency', serviceMs: (at) => serviceMs * (middle(at) ? 5 : 1) },
  {
    ...usual,
    name: 'overload and slow dependency',
    load: () => 1500,
    serviceMs: (at) => serviceMs * (middle(at) ? 5 : 1),
  },
  { ...usual, name: 'lost workers', workers: (at) => (middle(at) ? workers / 4 : workers) },
  { ...usual, name: 'more workers', load: () => 3000, workers: (at) => (at < 30 ? workers : 3 * workers) },
]
