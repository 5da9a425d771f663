import { optionError, pictures } from '@sluice/core/internal'
import { type Arrival, merged, poisson, thinned } from './arrivals.ts'
import { clients } from './clients.ts'
import { randomOf } from './random.ts'
import type { TrafficNumbers } from './settings.ts'

/** Generated traffic: the same numbers give the same requests on every machine. */
export interface Traffic {
  readonly durationUs: number
  /** The expected number of requests; chance varies it a little. */
  readonly expected: number
  /** Arrivals by time, generated on demand: a day takes no more memory than a minute. */
  arrivals(): Generator<Arrival>
}

const dayUs = 86_400e6

/** The random streams that are derived from one seed. */
const stream = { gaps: 0, clients: 1, thinning: 2, bursts: 3, attack: 4, attackers: 5 } as const

/** Independent requests at one rate. */
export function steady({ rate, clients: count, zipf, duration, seed }: TrafficNumbers<'poisson'>): Traffic {
  function arrivals(): Generator<Arrival> {
    const pick = clients(randomOf(seed, stream.clients), { name: 'client', count, zipf })
    return poisson(randomOf(seed, stream.gaps), rate / 1e6, { fromUs: 0, toUs: duration, pick })
  }
  return { durationUs: duration, expected: (rate * duration) / 1e6, arrivals }
}

/** The same, but now and then one client sends many at once. */
export function withBursts(numbers: TrafficNumbers<'bursts'>): Traffic {
  const { durationUs, expected, arrivals } = steady(numbers)
  const inBursts = numbers.size * Math.round(durationUs / numbers.every)
  return {
    durationUs,
    expected: expected + inBursts,
    arrivals: () => merged(arrivals(), bursts(numbers)),
  }
}

function* bursts(numbers: TrafficNumbers<'bursts'>): Generator<Arrival> {
  const { clients: count, zipf, duration, seed, size, every, spread } = numbers
  const pick = clients(randomOf(seed, stream.bursts), { name: 'client', count, zipf })
  for (let fromUs = every / 2; fromUs < duration; fromUs += every) {
    const client = pick()
    for (let i = 0; i < size; i++) {
      const atUs = Math.floor(fromUs + (spread * i) / size)
      if (atUs < duration) yield { atUs, client }
    }
  }
}

/** A Poisson stream at the highest rate of the day, thinned according to the hour. */
export function daily(numbers: TrafficNumbers<'daily'>): Traffic {
  const { rate, swing, peak, seed } = numbers
  const highest = 1 + swing
  const { durationUs, expected, arrivals } = steady({ ...numbers, rate: rate * highest })
  const turn = (atUs: number): number => (2 * Math.PI * (atUs - peak)) / dayUs
  const swung =
    (swing * dayUs * (Math.sin(turn(durationUs)) - Math.sin(turn(0)))) / (2 * Math.PI * durationUs)
  const share = (atUs: number): number => (1 + swing * Math.cos(turn(atUs))) / highest
  return {
    durationUs,
    expected: (expected / highest) * (1 + swung),
    arrivals: () => thinned(arrivals(), randomOf(seed, stream.thinning), share),
  }
}

/** Well-behaved clients, with attackers among them for a while. */
export function underAttack(numbers: TrafficNumbers<'attack'>): Traffic {
  const { seed, attackers: count, attack, from: fromUs, to: toUs } = numbers
  const { durationUs, expected, arrivals } = steady(numbers)
  if (fromUs >= toUs || toUs > durationUs)
    throw optionError(
      'traffic.to',
      'a time after traffic.from and within the duration',
      pictures.spanWords(toUs),
    )
  const ratePerUs = (attack * count) / 1e6
  function attacks(): Generator<Arrival> {
    const pick = clients(randomOf(seed, stream.attackers), { name: 'attacker', count, zipf: 0 })
    return poisson(randomOf(seed, stream.attack), ratePerUs, { fromUs, toUs, pick })
  }
  return {
    durationUs,
    expected: expected + ratePerUs * (toUs - fromUs),
    arrivals: () => merged(arrivals(), attacks()),
  }
}
