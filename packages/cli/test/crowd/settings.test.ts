import { expect, it } from '@jest/globals'
import { type Flags, readSettings } from '../../src/crowd/settings.ts'
import { crowdTests } from '../../src/crowd/tests.ts'
import { UsageError } from '../../src/exit-code.ts'

function names(loops?: string, allowed?: string, flags: Flags = {}): readonly string[] {
  return readSettings(loops, allowed, flags).tests.map(({ name }) => name)
}

// biome-ignore format: a table
it.each([
  // loops     allowed     flags                          what is said
  ['400',      undefined,  {},                            "missing required argument 'allowed': how many operations to allow per 10 seconds"],
  ['0',        '300',      {},                            'LOOPS: expected a whole number from 1 to 40,000, got "0"'],
  ['-4',       '300',      {},                            'LOOPS: expected a whole number from 1 to 40,000, got "-4"'],
  ['4.5',      '300',      {},                            'LOOPS: expected a whole number from 1 to 40,000, got "4.5"'],
  ['1e3',      '300',      {},                            'LOOPS: expected a whole number from 1 to 40,000, got "1e3"'],
  ['400',      'many',     {},                            'ALLOWED: expected a whole number from 1 to 100,000, got "many"'],
  ['400',      '100001',   {},                            'ALLOWED: expected a whole number from 1 to 100,000, got "100001"'],
  ['2858',     '300',      {},                            'LOOPS: expected at most 2,857 for 14 tests (200,000 requests in all), got 2,858'],
  ['400',      '300',      { seconds: '43' },             '--seconds: expected at most 42 for 14 tests (600 s in all), got 43'],
  ['400',      '300',      { seconds: '0' },              '--seconds: expected a whole number from 1 to 580, got "0"'],
  ['400',      '300',      { seconds: '581', only: ['log'] }, '--seconds: expected a whole number from 1 to 580, got "581"'],
  ['400',      '300',      { only: ['lgo'] },             '--only: expected some of log, gate, log-delays, gang, attributedWindow, concurrency, fairShare, fixedWindow, gcra, leakyBucket, multiWindow, slidingWindowCounter, tokenBucket, pair (did you mean "log"?), got "lgo"'],
  ['400',      '300',      { framework: 'hapi' },         '--framework: expected one of express, fastify, koa, got "hapi"'],
  ['400',      '300',      { redis: 'localhost' },        '--redis: expected a URL such as redis://localhost:6379'],
  ['400',      '300',      { url: '127.0.0.1:3000' },     '--url: expected a URL such as http://127.0.0.1:3000, got "127.0.0.1:3000"'],
  ['400',      '300',      { url: 'https://127.0.0.1' },  '--url: expected a URL such as http://127.0.0.1:3000, got "https://127.0.0.1"'],
  ['400',      '300',      { url: 'http://127.0.0.1:3000', framework: 'koa' }, "--framework: expected to be left out with --url, because it configures the command's own server"],
  ['400',      '300',      { url: 'http://127.0.0.1:3000', stay: true }, "--stay: expected to be left out with --url, because it configures the command's own server"],
] as const)('is refused where it makes no sense: %s %s %j', (loops, allowed, flags, said) => {
  expect(() => readSettings(loops, allowed, flags)).toThrow(new UsageError(said))
})

it('runs all tests, unless some are named', () => {
  expect(names('400', '300')).toEqual(crowdTests.map(({ name }) => name))
  expect(names('400', '300', { only: ['pair', 'log'] })).toEqual(['log', 'pair'])
})

it('runs a small example for whoever gives no numbers', () => {
  expect(names()).toEqual(['log', 'gang', 'pair'])
  expect(readSettings(undefined, undefined, {})).toMatchObject({ loops: 40, allowed: 30, seconds: 12 })
})

// biome-ignore format: a table
it.each([
  // given                          what is asked stands below
  ['http://127.0.0.1:3000',         'http://127.0.0.1:3000/'],
  ['http://localhost:3000/zoo',     'http://localhost:3000/zoo/'],
  ['http://[::1]:3000//',           'http://[::1]:3000/'],
])('goes to %s', (url, base) => {
  const { where } = readSettings('400', '300', { url })
  expect(where.kind === 'zoo' && where.url.href).toBe(base)
})
