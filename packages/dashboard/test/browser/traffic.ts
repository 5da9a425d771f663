// The same made-up visits in each run.

/** So long a zoo lives. */
export const seconds = 340

/** Requests a second: a trickle, and now and then a crowd. */
function rateAt(second: number): number {
  const left = seconds - second
  if (left <= 236 && left > 176) return 24
  if (left <= 118 && left > 64) return 38
  return left <= 50 ? 15 : 4.5 + 1.5 * Math.sin(second / 19)
}

/** The same numbers each time, from 0 to 1. */
export function seeded(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

/** How many visits a second sees at each attraction. */
export function visitsIn(second: number, random: () => number): number {
  const rate = rateAt(second)
  const spread = (random() + random() + random() - 1.5) * Math.sqrt(rate) * 1.6
  return Math.max(0, Math.round(rate + spread))
}

/** Some come again and again, the others hardly twice. */
export function visitorOf(random: () => number): string {
  const eager = ['bob', 'alice', 'mallory', 'eve']
  return eager[Math.floor(random() * 30)] ?? `visitor${Math.floor(random() * 2000)}`
}
