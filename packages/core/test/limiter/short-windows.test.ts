import { expect, test } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  type Policies,
  tokenBucket,
  uniform,
} from '../../src/index.ts'

const warning = (name: string, ms: number) =>
  `SLUICE_SHORT_WINDOW: the window of policy "${name}" is ${ms} ms: for seconds write '${ms}s'`

// biome-ignore format: a table
test.each<[string, Policies, readonly string[]]>([
  ['60 for a minute',            { all: fixedWindow({ limit: 100, window: 60 }) },                     [warning('all', 60)]],
  ['60 for a minute of gcra',    { all: gcra({ count: 100, period: 60 }) },                            [warning('all', 60)]],
  ['900 for a quarter of an hour', { all: tokenBucket({ capacity: 5, count: 5, period: 900 }) },       [warning('all', 900)]],
  ['60 beside a minute',         { one: gcra({ count: 5, period: '1m' }), two: gcra({ count: 9, period: 60 }) }, [warning('two', 60)]],
  ['60 milliseconds',            { all: fixedWindow({ limit: 100, window: '60ms' }) },                 []],
  ['a second',                   { all: fixedWindow({ limit: 100, window: 1000 }) },                   []],
  ['a pause',                    { all: uniform({ interval: 60 }) },                                   []],
  ['one in 60 milliseconds',     { all: fixedWindow({ limit: 1, window: 60 }) },                       []],
  ['no window',                  { all: concurrency({ limit: 5 }) },                                   []],
])('a limiter with a window of %s', (_title, policies, warned) => {
  const said: string[] = []
  const log = (text: string) => said.push(text)
  createLimiter({ policies, logger: { warn: log, error: log } })
  expect(said.map((text) => text.replace(/^\[sluice\] /, '').replace(/ \(http.*/, ''))).toEqual(warned)
})
