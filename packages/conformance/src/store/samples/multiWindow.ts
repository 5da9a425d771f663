import { type MultiWindowOptions, multiWindow } from '@sluice/core'
import fc from 'fast-check'
import { limits, overIn, type Rule, type Samples, sumWhere } from './sample.ts'
import { withSpans } from './short-spans.ts'

interface Window {
  readonly limit: number
  readonly windowUs: number
}

/** A slot of a few µs or of half a second, and one to three windows that rise with their limits. */
const numbers = fc
  .record({
    slotUs: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(500_000)),
    steps: fc.array(fc.record({ limit: limits, slots: fc.integer({ min: 2, max: 9 }), extra: fc.nat(3) }), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map(({ slotUs, steps }) => {
    const windows: Window[] = []
    for (const { limit, slots, extra } of steps) {
      const below = windows.at(-1) ?? { limit: 0, windowUs: 0 }
      // Only the shortest may refuse all.
      const more = windows.length === 0 ? limit : Math.max(1, limit)
      windows.push({ limit: below.limit + more, windowUs: below.windowUs + slots * slotUs + extra })
    }
    return { slotUs, windows }
  })

function optionsOf(
  { slotUs, windows }: { slotUs: number; windows: readonly Window[] },
  duration: (us: number) => number,
): MultiWindowOptions {
  return {
    limits: windows.map(({ limit, windowUs }) => ({ limit, window: duration(windowUs) })),
    slot: duration(slotUs),
  }
}

/** An admission counts until its whole slot has left the window. */
function ruleOf({ limit, windowUs }: Window, slotUs: number): Rule {
  const slotEnd = (us: number) => (Math.floor(us / slotUs) + 1) * slotUs
  return {
    limit,
    fits: (admissions, atUs, cost) =>
      sumWhere(admissions, (us) => slotEnd(us) + windowUs > atUs) + cost <= limit,
  }
}

export const multiWindowSamples: Samples = {
  strategy: 'multiWindow',
  samples: fc.tuple(numbers, numbers).map(([own, other]) => ({
    policy: withSpans((duration) => multiWindow(optionsOf(own, duration))),
    other: withSpans((duration) => multiWindow(optionsOf(other, duration))),
    spanUs: own.windows.at(-1)?.windowUs ?? 0,
    capacity: own.windows[0]?.limit ?? 0,
    rules: own.windows.map((window) => ruleOf(window, own.slotUs)),
    breach(admissions) {
      const breaches = own.windows.map(({ limit, windowUs }) => overIn(admissions, windowUs, limit))
      return breaches.find((each) => each !== undefined)
    },
  })),
}
