import fc from 'fast-check'
import { vectorNames } from '../vectors.ts'
import { leakyBucketSamples, tokenBucketSamples } from './bucket.ts'
import { concurrencySamples } from './concurrency.ts'
import { fairShareSamples } from './fairShare.ts'
import { attributedWindowSamples, fixedWindowSamples } from './fixedWindow.ts'
import { samplesFromVectors } from './from-vectors.ts'
import { gcraSamples } from './gcra.ts'
import { multiWindowSamples } from './multiWindow.ts'
import { allReservableSamples } from './reservable.ts'
import type { Sample, Samples } from './sample.ts'
import { slidingWindowCounterSamples } from './slidingWindowCounter.ts'
import { slidingWindowLogSamples } from './slidingWindowLog.ts'
import { uniformSamples } from './uniform.ts'

/** Those with samples of their own, most of them with rules that are written a second time and count every admission. */
const withSamples: readonly Samples[] = [
  attributedWindowSamples,
  concurrencySamples,
  fairShareSamples,
  fixedWindowSamples,
  gcraSamples,
  leakyBucketSamples,
  multiWindowSamples,
  slidingWindowCounterSamples,
  slidingWindowLogSamples,
  tokenBucketSamples,
  uniformSamples,
]

/** Every strategy's samples: without any of its own, those that its vectors make. Then windows whose callers can reserve. */
export const allSamples: readonly Samples[] = [
  ...vectorNames.map(
    (name) => withSamples.find(({ strategy }) => strategy === name) ?? samplesFromVectors(name),
  ),
  ...allReservableSamples,
]

/** A policy of any strategy. */
export const anySample: fc.Arbitrary<Sample> = fc.oneof(...allSamples.map(({ samples }) => samples))
