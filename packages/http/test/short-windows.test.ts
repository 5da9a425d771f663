import { expect, test } from '@jest/globals'
import { concurrency, fixedWindow, gcra, type Policy, uniform } from '@sluice/core'
import { createGate } from '../src/internal/index.ts'

// biome-ignore format: a table
test.each<[string, Policy, readonly string[], object?]>([
  ['60 for a minute',        fixedWindow({ limit: 100, window: 60 }),        [`SLUICE_SHORT_TIME: the window of policy "default" of limiter "default" is 60 ms: for seconds write '60s'`]],
  ['60 for a minute of gcra', gcra({ count: 100, period: 60 }),              [`SLUICE_SHORT_TIME: the window of policy "default" of limiter "default" is 60 ms: for seconds write '60s'`]],
  ['a text of half a second', fixedWindow({ limit: 100, window: '500ms' }),  [`SLUICE_SHORT_TIME: the window of policy "default" of limiter "default" is 500 ms: for seconds write '500s'`]],
  ['a second with a burst of 10', gcra({ count: 500, period: '1s', burst: 10 }), []],
  ['a second',               fixedWindow({ limit: 100, window: 1000 }),      []],
  ['a pause',                uniform({ interval: 60 }),                      []],
  ['no window',              concurrency({ limit: 5 }),                      []],
  ['a minute and a block of 60', fixedWindow({ limit: 5, window: '1m', blockFor: 60 }), [`SLUICE_SHORT_TIME: blockFor of policy "default" of limiter "default" is 60 ms: for seconds write '60s'`]],
  ['none for 30 of a client that reads nothing', concurrency({ limit: 5 }),  [`SLUICE_SHORT_TIME: sendTimeout of limiter "default" is 30 ms: for seconds write '30s'`], { sendTimeout: 30 }],
  ['a minute and a wait of 30', gcra({ count: 5, period: '1m' }),            [`SLUICE_SHORT_TIME: maxWait of limiter "default" is 30 ms: for seconds write '30s'`], { maxWait: 30 }],
  ['a minute and a wait of half a second', gcra({ count: 5, period: '1m' }), [], { maxWait: 500 }],
  ['a minute and a jitter of 5', gcra({ count: 5, period: '1m' }),           [`SLUICE_SHORT_TIME: retryJitter of limiter "default" is 5 ms: for seconds write '5s'`], { retryJitter: 5 }],
  ['a minute and no jitter', gcra({ count: 5, period: '1m' }),               [], { retryJitter: 0 }],
  ['a minute and short waits', gcra({ count: 5, period: '1m' }),             [], { maxWait: 500 }],
])('a window of %s', (_title, policy, warned, options = {}) => {
  const said: string[] = []
  const log = (text: string) => said.push(text)
  createGate({ policy, ...options, logger: { warn: log, error: log } } as Parameters<typeof createGate>[0])
  expect(said.map((text) => text.replace(/^\[sluice\] /, '').replace(/ \(http.*/, ''))).toEqual(warned)
})
