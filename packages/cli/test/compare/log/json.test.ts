import { describe, expect, it } from '@jest/globals'
import { clientIn } from '../../../src/compare/client/choice.ts'
import { choose } from '../../../src/compare/client/choose.ts'
import { isPrivate } from '../../../src/compare/client/trust.ts'
import type { LogEntry } from '../../../src/compare/log/entry.ts'
import { parserOf } from '../../../src/compare/log/format.ts'
import { oneObject } from '../../../src/compare/log/json.ts'

function parseJson(names: Readonly<Record<string, string>> = {}): (line: string) => LogEntry | string {
  const parse = parserOf('json', names)()
  return (line) => parse(line) ?? 'nothing'
}

/** With nothing else to look at. */
function ipOf(entry: LogEntry): string | undefined {
  const [choice] = choose([entry], { field: undefined, trusts: isPrivate, named: false })
  return choice && clientIn(entry, choice, isPrivate)
}

const atUs = Date.UTC(2026, 2, 10, 13, 0, 2) * 1000
const seconds = atUs / 1e6

// biome-ignore format: a table
const servers = [
  // server            line                                                                                                      ip            user     method  path  status
  ['nginx',            { time_iso8601: '2026-03-10T13:00:02+00:00', remote_addr: '192.0.2.1', remote_user: 'ann', request_method: 'GET', request_uri: '/a', status: '200' }, '192.0.2.1', 'ann', 'GET', '/a', '200'],
  ['nginx, msec',      { msec: `${seconds}.000`, remote_addr: '192.0.2.1', remote_user: '-', status: 200 },                      '192.0.2.1',  undefined, undefined, undefined, '200'],
  ['Caddy',            { ts: seconds, status: 200, request: { client_ip: '192.0.2.1', method: 'GET', uri: '/a' }, user_id: '' }, '192.0.2.1',  undefined, 'GET', '/a',  '200'],
  ['pino-http',        { time: atUs / 1000, req: { remoteAddress: '192.0.2.1', method: 'GET', url: '/a' }, res: { statusCode: 200 } }, '192.0.2.1', undefined, 'GET', '/a', '200'],
  ['Traefik',          { StartUTC: '2026-03-10T13:00:02Z', ClientHost: '192.0.2.1', ClientUsername: '-', RequestMethod: 'GET', RequestPath: '/a', DownstreamStatus: 200 }, '192.0.2.1', undefined, 'GET', '/a', '200'],
  ['Google',           { timestamp: '2026-03-10T13:00:02Z', httpRequest: { remoteIp: '192.0.2.1', requestMethod: 'GET', requestUrl: '/a' } }, '192.0.2.1', undefined, 'GET', '/a', undefined],
  ['one of your own',  { '@timestamp': '2026-03-10T13:00:02Z', ip: '192.0.2.1', user: 7, method: 'GET', path: '/a', status: 200 }, '192.0.2.1', '7',     'GET', '/a',  '200'],
] as const

describe('a line of JSON', () => {
  it.each(servers)('as %s writes it', (_server, line, ip, user, method, path, status) => {
    const entry = parseJson()(JSON.stringify(line))
    if (typeof entry === 'string') throw new Error(entry)
    expect(entry.atUs).toBe(atUs)
    expect([ipOf(entry), ...['user', 'method', 'path', 'status'].map((name) => entry.field(name))]).toEqual([
      ip,
      user,
      method,
      path,
      status,
    ])
  })

  it('has its fields where the options say', () => {
    const parse = parseJson({ time: 'at', ip: 'peer.address', tenant: 'org.name' })
    const entry = parse(
      JSON.stringify({ at: seconds, ip: 'no', peer: { address: 'yes' }, org: { name: 'o' }, 'a.b': 1 }),
    )
    if (typeof entry === 'string') throw new Error(entry)
    expect(['ip', 'tenant', 'org.name', 'a.b'].map((name) => entry.field(name))).toEqual([
      'yes',
      'o',
      'o',
      '1',
    ])
  })

  it('has a field of any name where the options say', () => {
    const parse = parseJson(JSON.parse('{"__proto__":"user","constructor":"user"}'))
    const entry = parse(JSON.stringify({ time: seconds, user: 'ann' }))
    if (typeof entry === 'string') throw new Error(entry)
    expect(['__proto__', 'constructor'].map((name) => entry.field(name))).toEqual(['ann', 'ann'])
  })

  it.each([
    'toString',
    'constructor',
    '__proto__',
    'req.constructor',
    'absent',
    'list',
    'inner',
    'empty',
    'nothing',
  ])('has no %s', (name) => {
    const data = `{"time":${seconds},"req":{},"list":[1],"inner":{"a":1},"empty":"","nothing":null}`
    const entry = parseJson()(data)
    expect(typeof entry === 'string' ? entry : entry.field(name)).toBeUndefined()
  })

  // biome-ignore format: a table
  it.each([
    ['{"time":1',                                       oneObject],
    ['[1]',                                             oneObject],
    ['null',                                            oneObject],
    ['"text"',                                          oneObject],
    ['{}',                                              'a time in one of time, timestamp, @timestamp, ts, time_iso8601, msec, datetime, date, StartUTC'],
    ['{"time":"noon"}',                                 'a time such as "2026-01-31T10:00:00Z" or 1769853600, got "noon"'],
  ])('is malformed: %s', (line, expected) => {
    expect(parseJson()(line)).toBe(expected)
  })

  it.each(['[', '{', '[{"time":1},{"time":2}]'])('has one object, and jq makes such lines: %s', (line) => {
    expect(parserOf('auto', {})()(line)).toBe(oneObject)
  })
})
