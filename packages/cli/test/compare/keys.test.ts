import { describe, expect, it } from '@jest/globals'
import { keysOf, pathOf, pickOf } from '../../src/compare/keys.ts'
import type { LogEntry } from '../../src/compare/log/entry.ts'
import { parserOf } from '../../src/compare/log/format.ts'
import { requestReader } from '../../src/compare/request-reader.ts'

const fields = {
  ip: '2001:db8::7',
  user: 'ann',
  method: 'POST',
  path: '/api/a%2Fb?x=1',
  tenant: 'blue',
  bytes: 512,
}

function entryOf(data: object): LogEntry {
  const entry = parserOf('json', {})()(JSON.stringify({ time: 1_773_147_600, ...data }))
  if (typeof entry !== 'object') throw new Error(entry)
  return entry
}

describe('a request', () => {
  // biome-ignore format: a table
  it.each([
    // key            client             whose count        cost            units
    ['ip',            '2001:db8::/64',   '2001:db8::/64',   undefined,      1],
    ['user',          'ann',             'ann',             'field:bytes',  512],
    ['path',          '2001:db8::/64',   '/api/a%2Fb',      undefined,      1],
    ['everybody',     '2001:db8::/64',   'everybody',       'field:bytes',  512],
    ['field:tenant',  'blue',            'blue',            undefined,      1],
  ])('by %s is of %s', (text, client, key, cost, units) => {
    const toRequest = requestReader({ ...keysOf(text), cost: cost === undefined ? cost : pickOf(cost, 'cost'), path: undefined })
    expect(toRequest(entryOf(fields))).toEqual({ atUs: 1_773_147_600e6, client, key, cost: units, path: [] })
  })

  // biome-ignore format: a table
  it.each([
    // key          who counts apart
    ['user',        'user'],
    ['field:tenant', 'field:tenant'],
    ['path',        'ip'],
    ['everybody',   'ip'],
  ])('by %s knows clients by %s', (key, expected) => {
    expect(keysOf(key)).toMatchObject({ keyedBy: key, clientBy: expected })
  })

  it.each(['user', 'path', 'field:tenant'])('without %s is left out', (key) => {
    const toRequest = requestReader({ ...keysOf(key), cost: undefined, path: undefined })
    expect(toRequest(entryOf({ ip: '192.0.2.1' }))).toBeUndefined()
  })

  it.each([-1, 1.5, 'many', '', null, 1e300])('cannot cost %j', (bytes) => {
    const toRequest = requestReader({ ...keysOf('ip'), cost: pickOf('field:bytes', 'cost'), path: undefined })
    expect(toRequest(entryOf({ ...fields, bytes }))).toBe('a whole number of units')
  })

  // biome-ignore format: a table
  it.each([
    ['user/{user}/{method}',   ['user', 'ann', 'POST']],
    ['{ip}',                   ['2001:db8::/64']],
    ['{tenant}/{path}',        ['blue', 'api', 'a%2Fb']],
    ['everybody',              ['everybody']],
    ['{status}/x',             undefined],
  ])('asks a file about %s', (template, expected) => {
    expect(pathOf(template)(entryOf(fields))).toEqual(expected)
  })

  it('asks a file about no path of no names', () => {
    expect(pathOf('{path}')(entryOf({ path: '/?x' }))).toBeUndefined()
  })

  // biome-ignore format: a table
  it.each([
    [() => keysOf('ips'),        'key: expected ip, user, path, everybody or field:NAME (did you mean "ip"?), got "ips" (string)'],
    [() => keysOf('field:'),     'key: expected ip, user, path, everybody or field:NAME, got "field:" (string)'],
    [() => keysOf('toString'),   'key: expected ip, user, path, everybody or field:NAME, got "toString" (string)'],
    [() => pathOf(''),           'path: expected names and fields in braces such as user/{user}/{method}, got "" (string)'],
    [() => pathOf('a//b'),       'path: expected names and fields in braces such as user/{user}/{method}, got "" (string)'],
    [() => pathOf('user-{user}'), 'path: expected names and fields in braces such as user/{user}/{method}, got "user-{user}" (string)'],
  ])('is refused where it makes no sense: %s', (read, expected) => {
    expect(read).toThrow(expected)
  })
})
