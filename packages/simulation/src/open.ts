/** Seeds that have found what is not mended yet, and what that is: many histories are played without them, `--seed` plays them. */
export const openSeeds: ReadonlyMap<number, string> = new Map([
  [
    5727,
    'Of a bucket that an outage finds, what it held before its latest charge is forgotten once that has run out by itself: another key that is changed sweeps it from memory.',
  ],
])
