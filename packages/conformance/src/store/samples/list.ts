import fc from 'fast-check'
import { vectorNames } from '../vectors.ts'
import { leakyBucketSamples, tokenBucketSamples } from './bucket.ts'
import { concurrencySamples } from './concurrency.ts'
import { attributedWindowSamples, fixedWindowSamples } from './fixedWindow.ts'
import { samplesFromVectors } from './from-vectors.ts'
import { gcraSamples } from './gcra.ts'
import { multiWindowSamples } from './multiWindow.ts'
import { allReservableSamples } from './reservable.ts'
import type { Sample, Samples } from './sample.ts'
import { slidingWindowCounterSamples } from './slidingWindowCounter.ts'
import { slidingWindowLogSamples } from './slidingWindowLog.ts'
import { uniformSamples } from './uniform.ts'

/** Those whose rules are written a second time, as an oracle that counts every admission. */
const withOracle: readonly Samples[] = [
  attributedWindowSamples,
  concurrencySamples,
  fixedWindowSamples,
  gcraSamples,
  leakyBucketSamples,
  multiWindowSamples,
  slidingWindowCounterSamples,
  slidingWindowLogSamples,
  tokenBucketSamples,
  uniformSamples,
]

/** Every strategy's samples: without an oracle, those that its vectors make. Then windows whose callers can reserve. */
export const allSamples: readonly Samples[] = [
  ...vectorNames.map(
    (name) => withOracle.find(({ strategy }) => strategy === name) ?? samplesFromVectors(name),
  ),
  ...allReservableSamples,
]

/** A policy of any strategy. */
export const anySample: fc.Arbitrary<Sample> = fc.oneof(...allSamples.map(({ samples }) => samples))
