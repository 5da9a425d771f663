import { byName, type Value } from './values.ts'

/** Load shedding from `@sluice/adaptive`, or your own. */
export interface ObservedShedding {
  readonly name: string
  health(): SheddingNumbers
}

export interface SheddingNumbers {
  readonly limit: number
  readonly inFlight: number
  /** null before the first window. */
  readonly latencyMs: number | null
  readonly eventLoopDelayMs: number
  /** Refused requests since the start, by priority and reason. */
  readonly refused: { readonly [priority: string]: { readonly [reason: string]: number } }
}

/** Reads the health of load shedding when metrics are collected. Leaves out one that throws. */
export class SheddingHealths {
  readonly #sheddings: readonly ObservedShedding[]

  constructor(sheddings: readonly ObservedShedding[]) {
    this.#sheddings = sheddings
  }

  sum(number: (numbers: SheddingNumbers) => number): readonly Value[] {
    return this.#read(number, (one, other) => one + other)
  }

  most(number: (numbers: SheddingNumbers) => number): readonly Value[] {
    return this.#read(number, Math.max)
  }

  refused(): readonly Value[] {
    const all = new Map<string, Value>()
    for (const [shedding, { refused }] of this.#all())
      for (const [priority, reasons] of Object.entries(refused))
        for (const [reason, more] of Object.entries(reasons)) {
          const labels = { shedding, priority, reason }
          const name = JSON.stringify(labels)
          all.set(name, { labels, value: (all.get(name)?.value ?? 0) + more })
        }
    return [...all.values()]
  }

  #read(
    number: (numbers: SheddingNumbers) => number,
    merge: (one: number, other: number) => number,
  ): readonly Value[] {
    return byName(
      'shedding',
      this.#all().map(([name, numbers]) => [name, number(numbers)] as const),
      merge,
    )
  }

  #all(): readonly (readonly [name: string, numbers: SheddingNumbers])[] {
    return this.#sheddings.flatMap((shedding) => {
      try {
        return [[shedding.name, shedding.health()] as const]
      } catch {
        return []
      }
    })
  }
}
