import { describe, expect, it } from '@jest/globals'
import { type Flags, readSettings } from '../../src/compare/settings.ts'
import { UsageError } from '../../src/exit-code.ts'

const plain: Flags = { policy: ['fixedWindow:4/1m'], key: 'ip', format: 'auto', field: [], trust: [] }

function said(logs: readonly string[], flags: Partial<Flags>): string {
  try {
    readSettings(logs, { ...plain, ...flags })
    return 'fine'
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error)
  }
}

describe('a command line', () => {
  // biome-ignore format: a table
  it.each<[Partial<Flags>, string]>([
    [{},                                                  'fine'],
    [{ policy: [], suggest: '1%' },                       'fine'],
    [{ policy: [] },                                      'nothing to compare: give a policy, as in --policy gcra:100/1m, a file with --limits, or use --suggest'],
    [{ traffic: 'poison' },                               '--traffic poison: traffic: expected "poisson" or "bursts" or "daily" or "attack" (did you mean "poisson"?), got "poison" (string)'],
    [{ policy: ['uniform:1s', 'gcra:1/0.5ms'] },          '--policy gcra:1/0.5ms: period: expected a positive duration such as "10s" (ms, s, m, h, d) or 10000, of whole microseconds, from 1 ms to 366 days, got "0.5ms" (string)'],
    [{ policy: ['uniform:1s', 'gcra:1/1min'] },           '--policy gcra:1/1min: period: expected a positive duration such as "10s" (ms, s, m, h, d) or 10000, of whole microseconds, from 1 ms to 366 days, got "1min" (string)'],
    [{ policy: ['gcra:1/1m,burts=2'] },                   '--policy gcra:1/1m,burts=2: burts: expected a known option (did you mean "burst"?), got "burts" (string)'],
    [{ policy: ['tokenBucket:1/1s'] },                    '--policy tokenBucket:1/1s: capacity: expected a whole number of at least 0, got undefined'],
    [{ key: 'ipp' },                                      '--key ipp: key: expected ip, user, path, everybody or field:NAME (did you mean "ip"?), got "ipp" (string)'],
    [{ cost: 'bytes' },                                   '--cost bytes: cost: expected ip, user, path, everybody or field:NAME, got "bytes" (string)'],
    [{ format: 'jsno' },                                  '--format jsno: format: expected "auto" or "common" or "combined" or "json" (did you mean "json"?), got "jsno" (string)'],
    [{ field: ['ip'] },                                   '--field ip: field: expected a name and its place, such as ip=request.remote_ip, got "ip" (string)'],
    [{ trust: ['192.0.2.0/24', '10.0.0.0/8,::1'] },     'fine'],
    [{ trust: ['192.0.2.0/33'] },                         '--trust 192.0.2.0/33: trust[0]: expected a prefix length from 0 to 32 behind the slash, got "192.0.2.0/33" (string)'],
    [{ trust: ['10.0.0.0/8,'] },                          '--trust 10.0.0.0/8,: trust[1]: expected an address or a network such as "192.0.2.1", "10.0.0.0/8" or "2001:db8::/32", got "" (string)'],
    [{ client: '' },                                      '--client needs the name of a field, or its number, as in --client 2'],
    [{ limits: 'limits.yaml' },                           '--limits needs --path, the path to check in the file, as in --path user/{ip}'],
    [{ html: 'report.html' },                             'fine'],
    [{ html: 'a.log' },                                   '--html a.log: expected a name that ends in .html, because an existing file is overwritten'],
    [{ path: 'user/{ip}' },                               '--path needs --limits, the file to check it in'],
  ])('with %j', (flags, expected) => {
    expect(said([], flags)).toBe(expected)
  })

  // biome-ignore format: a table
  it.each<[string[], Partial<Flags>, string]>([
    [['a.log', '-'],           {},                        'fine'],
    [['a.log', 'a.log'],       {},                        'each log may be named only once'],
    [['a.log'],                { traffic: 'poisson' },    'give either a log or --traffic, not both'],
  ])('with %j and %j', (logs, flags, expected) => {
    expect(said(logs, flags)).toBe(expected)
  })

  it('names a file that cannot be read', () => {
    expect(said([], { limits: '/absent/limits.yaml', path: 'a' })).toContain(
      'cannot read /absent/limits.yaml (',
    )
  })
})
