import fc from 'fast-check'
import { leakyBucketSamples, tokenBucketSamples } from './bucket.ts'
import { concurrencySamples } from './concurrency.ts'
import { attributedWindowSamples, fixedWindowSamples } from './fixedWindow.ts'
import { gcraSamples } from './gcra.ts'
import { multiWindowSamples } from './multiWindow.ts'
import type { Sample, Samples } from './sample.ts'
import { slidingWindowCounterSamples } from './slidingWindowCounter.ts'
import { slidingWindowLogSamples } from './slidingWindowLog.ts'
import { uniformSamples } from './uniform.ts'

/** Every strategy's samples. */
export const allSamples: readonly Samples[] = [
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

/** A policy of any strategy. */
export const anySample: fc.Arbitrary<Sample> = fc.oneof(...allSamples.map(({ samples }) => samples))

/** The strategies that have samples. */
export const sampledStrategies: readonly string[] = allSamples.map(({ strategy }) => strategy)
