import { exponential, type Random } from './random.ts'

/** One request of made-up traffic. */
export interface Arrival {
  /** Since the traffic began. */
  readonly atUs: number
  readonly client: string
}

/** Draws who sends a request. */
export type Pick = () => string

/** A stretch of time, its end left out. */
export interface Span {
  readonly fromUs: number
  readonly toUs: number
}

/** Independent arrivals at one rate: the gaps between them are exponential. */
export function* poisson(
  random: Random,
  ratePerUs: number,
  about: Span & { pick: Pick },
): Generator<Arrival> {
  const { fromUs, toUs, pick } = about
  const meanUs = 1 / ratePerUs
  for (let us = fromUs + exponential(random, meanUs); us < toUs; us += exponential(random, meanUs)) {
    yield { atUs: Math.floor(us), client: pick() }
  }
}

/** Keeps each arrival with the probability of its instant: a Poisson stream thinned this way is one of a changing rate. */
export function* thinned(
  arrivals: Iterable<Arrival>,
  random: Random,
  probabilityAt: (atUs: number) => number,
): Generator<Arrival> {
  for (const arrival of arrivals) if (random() < probabilityAt(arrival.atUs)) yield arrival
}

/** Arrivals of two streams in the order of their times; it holds one of each. */
export function* merged(left: Iterator<Arrival>, right: Iterator<Arrival>): Generator<Arrival> {
  let a = left.next()
  let b = right.next()
  while (!a.done || !b.done) {
    if (b.done || (!a.done && a.value.atUs <= b.value.atUs)) {
      if (!a.done) yield a.value
      a = left.next()
    } else {
      yield b.value
      b = right.next()
    }
  }
}
