import { exponential, type Random } from './random.ts'

/** One request of generated traffic. */
export interface Arrival {
  /** Since the traffic began. */
  readonly atUs: number
  readonly client: string
}

/** Draws the client that sends a request. */
export type DrawClient = () => string

/** A stretch of time without its end. */
export interface Span {
  readonly fromUs: number
  readonly toUs: number
}

/** Independent arrivals at one rate: the gaps between them are exponential. */
export function* poisson(
  random: Random,
  ratePerUs: number,
  about: Span & { pick: DrawClient },
): Generator<Arrival> {
  const { fromUs, toUs, pick } = about
  const meanUs = 1 / ratePerUs
  for (let us = fromUs + exponential(random, meanUs); us < toUs; us += exponential(random, meanUs)) {
    yield { atUs: Math.floor(us), client: pick() }
  }
}

/** Keeps each arrival with the probability at its time: this turns a Poisson stream into one with a varying rate. */
export function* thinned(
  arrivals: Iterable<Arrival>,
  random: Random,
  probabilityAt: (atUs: number) => number,
): Generator<Arrival> {
  for (const arrival of arrivals) if (random() < probabilityAt(arrival.atUs)) yield arrival
}

/** Merges two streams by time; holds one arrival of each. */
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
