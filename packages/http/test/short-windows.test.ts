import { expect, test } from '@jest/globals'
import { concurrency, fixedWindow, gcra, type Policy, uniform } from '@sluice/core'
import { createGate } from '../src/internal/index.ts'

// biome-ignore format: a table
test.each<[string, Policy, readonly string[]]>([
  ['60 for a minute',        fixedWindow({ limit: 100, window: 60 }),        [`SLUICE_SHORT_WINDOW: the window of policy "default" is 60 ms: for seconds write '60s'`]],
  ['60 for a minute of gcra', gcra({ count: 100, period: 60 }),              [`SLUICE_SHORT_WINDOW: the window of policy "default" is 60 ms: for seconds write '60s'`]],
  ['a second',               fixedWindow({ limit: 100, window: 1000 }),      []],
  ['a pause',                uniform({ interval: 60 }),                      []],
  ['no window',              concurrency({ limit: 5 }),                      []],
])('a window of %s', (_title, policy, warned) => {
  const said: string[] = []
  const log = (text: string) => said.push(text)
  createGate({ policy, logger: { warn: log, error: log } } as Parameters<typeof createGate>[0])
  expect(said.map((text) => text.replace(/^\[sluice\] /, '').replace(/ \(http.*/, ''))).toEqual(warned)
})
