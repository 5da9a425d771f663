import { describe, expect, it } from '@jest/globals'
import { timesAsLong } from '@sluice/conformance/internal'
import type { Parsed } from '../../../src/compare/log/entry.ts'
import { parserOf } from '../../../src/compare/log/format.ts'
import { parseCombined, parseText } from '../../../src/compare/log/text-entry.ts'

const fields = ['1', 'user', 'method', 'path', 'status', 'bytes', 'referrer', 'agent', 'constructor'] as const
const atUs = Date.UTC(2026, 2, 10, 13, 0, 2) * 1000
const time = '[10/Mar/2026:13:00:02 +0000]'
const timeless =
  "a time, which morgan leaves out of its formats dev, tiny and short: write morgan('combined')"
const get = { atUs, method: 'GET', path: '/a', status: '200', bytes: '5' }

/** The fields that an entry has, or what is wrong. */
function contentOf(entry: Parsed): object | string {
  if (typeof entry !== 'object') return String(entry)
  const held = fields.flatMap((name) => {
    const value = entry.field(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { atUs: entry.atUs, ...Object.fromEntries(held) }
}

describe('a line of the common log format', () => {
  // biome-ignore format: a table
  it.each([
    ['as it stands in the books',   `192.0.2.1 - frank ${time} "GET /a HTTP/1.0" 200 5`,         { ...get, '1': '192.0.2.1', user: 'frank' }],
    ['combined',                    `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5 "http://b/" "Mozilla/5.0 (X11)"`, { ...get, '1': '192.0.2.1', referrer: 'http://b/', agent: 'Mozilla/5.0 (X11)' }],
    ['with quotes in the agent',    String.raw`192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5 "-" "a \"b\" c\\"`, { ...get, '1': '192.0.2.1', agent: String.raw`a \"b\" c\\` }],
    ['with more behind it',         `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5 "-" "-" 0.003 "x"`, { ...get, '1': '192.0.2.1' }],
    ['of IPv6',                     `2001:db8::1 - - ${time} "GET /a HTTP/1.1" 200 5`,           { ...get, '1': '2001:db8::1' }],
    ['of a user with a space',      `192.0.2.1 - ann lee ${time} "GET /a HTTP/1.1" 200 5`,       { ...get, '1': '192.0.2.1', user: 'ann lee' }],
    ['of a user like a time',       `192.0.2.1 - a [b] ${time} "GET /a HTTP/1.1" 200 5`,         { ...get, '1': '192.0.2.1', user: 'a [b]' }],
    ['whose dash is zero bytes',    `192.0.2.1 - - ${time} "GET /a HTTP/1.1" 304 -`,             { atUs, '1': '192.0.2.1', method: 'GET', path: '/a', status: '304', bytes: '0' }],
    ['of a request cut short',      `192.0.2.1 - - ${time} "-" 400 0`,                           { atUs, '1': '192.0.2.1', status: '400', bytes: '0' }],
    ['with a time in ISO 8601',     '192.0.2.1 - - [2026-03-10T14:00:02+01:00] "GET /a HTTP/1.1" 200 5', { ...get, '1': '192.0.2.1' }],
  ])('%s', (_what, line, expected) => {
    expect(contentOf(parseText(line))).toEqual(expected)
  })

  // biome-ignore format: a table
  it.each([
    ['',                                                'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'],
    ['hello',                                           'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'],
    ['192.0.2.1 - - GET /a',                            'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'],
    ['192.0.2.1 - - [yesterday] "GET /a HTTP/1.1" 200 5', 'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'],
    ['192.0.2.1 - - [10/Mar/2026:13',                   'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'],
    ['GET /a 200 2.345 ms - 12',                        timeless],
    ['GET /a 304 0.4 ms - -',                           timeless],
    ['GET /a - - ms - -',                               timeless],
    ['GET /a 200 12 - 2.345 ms',                        timeless],
    ['GET /a - - - - ms',                               timeless],
    ['::1 - GET /a HTTP/1.1 200 12 - 2.345 ms',         timeless],
    ['192.0.2.1 ann lee POST /a HTTP/1.1 401 - - 2.345 ms', timeless],
    ['took 12 ms',                                      'a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z'],
    [`192.0.2.1 - - ${time} GOT /a 200 5`,              'a request such as "GET /a HTTP/1.1"'],
    [`192.0.2.1 - - ${time} "GET /a HTTP/1.1"`,         'a status beside the request'],
    [`192.0.2.1 - - ${time} "GET /a HTTP/1.1" ok 5`,    'a status beside the request'],
    ['2026/03/10 13:00:02 [error] 7#7: *1 open() "/a" failed (2: No such file or directory), client: 192.0.2.1, server: _, request: "GET /a HTTP/1.1", host: "b"', 'a status beside the request'],
  ])('is malformed: %s', (line, expected) => {
    expect(parseText(line)).toBe(expected)
  })
})

describe('the combined log format alone', () => {
  // biome-ignore format: a table
  it.each([
    [' "-" "-"',         'object'],
    [' "" "curl/8"',     'object'],
    ['',                 'string'],
    [' "-"',             'string'],
    [' "-" "curl',       'string'],
    [' - curl',          'string'],
  ])('demands referrer and agent: %j', (end, expected) => {
    expect(typeof parseCombined(`192.0.2.1 - - ${time} "GET /a HTTP/1.1" 200 5${end}`)).toBe(expected)
  })
})

// To look at all before each bracket would take a second a line.
it.each([' [10', '[', ']', ' ]', ' [10]', ' [10 ]', '[[[]]]'])(
  'is not held up by a name made of %j',
  async (part) => {
    const nameOf = (length: number) => part.repeat(length / part.length)
    const lineOf = (length: number) => `192.0.2.1 - ${nameOf(length)} ${time} "GET /a HTTP/1.1" 200 5`
    expect(contentOf(parseText(lineOf(64_000)))).toMatchObject({ user: nameOf(64_000), status: '200' })
    expect(await timesAsLong(parseText, lineOf, 64_000)).toBeLessThan(10)
  },
)

it.each([
  ' (',
  ' {',
  '|',
  ' a="',
  ' a=',
  ', ',
  '1,',
  '<1>1 ',
  'x: ',
  ' "',
  '\\"',
  '\t',
  ';',
  ' {"',
  '\u001b]',
  '[a] ',
  'GET ',
])('no line made of %j is read for long', async (part) => {
  const parse = parserOf('auto', {})()
  for (const [before, after] of [
    ['', ''],
    ['192.0.2.1 - ', ` ${time} "GET /a HTTP/1.1" 200 5`],
    ['2026-03-10T13:00:00Z ', '}'],
  ]) {
    const lineOf = (length: number) => `${before}${part.repeat(length / part.length)}${after}`
    expect(parse(lineOf(64_000))).not.toBeNull()
    expect(await timesAsLong(parse, lineOf, 64_000)).toBeLessThan(10)
  }
})
