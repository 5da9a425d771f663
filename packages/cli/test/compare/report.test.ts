import { describe, expect, it, jest } from '@jest/globals'
import type { Comparison, Result } from '../../src/compare/comparison.ts'
import { printReport } from '../../src/compare/report.ts'
import { aComparison } from './html/a-comparison.ts'

function printed(comparison: Comparison): string {
  const log = jest.spyOn(console, 'log').mockImplementation(() => {})
  try {
    printReport(comparison)
    return log.mock.calls.map(([line]) => `${String(line)}\n`).join('')
  } finally {
    log.mockRestore()
  }
}

function withResult(changes: Partial<Result>): string {
  const comparison = aComparison()
  return printed({ ...comparison, results: comparison.results.map((result) => ({ ...result, ...changes })) })
}

function withInput(changes: Partial<Comparison['input']>): string {
  const comparison = aComparison()
  return printed({ ...comparison, input: { ...comparison.input, ...changes } })
}

const { log } = aComparison().input
const window = { count: 12, atMs: 0, key: 'k'.repeat(40), windowMs: 1500, most: 10, atLeast: false }

describe('what is printed of a comparison', () => {
  it('says which clients it cannot distinguish', () => {
    expect(withInput({ requestsOfOthers: 7 })).toContain(
      '7 requests of clients beyond the first million, which are not distinguished\n',
    )
  })

  it('says that there was nothing to replay, and no more', () => {
    expect(withInput({ requests: 0, log: null })).toBe('access.log.gz: no request to replay\n')
  })

  it('says which requests were left out, and which came late', () => {
    const lacking = { field: 'usr', has: ['user', 'path'] }
    const late = log && { ...log, withoutKey: 1, lacking, movedOn: 3 }
    const text = withInput({ clientBy: 'field:usr', log: late })
    expect(text).toContain('1 request left out, with no "usr"\n')
    expect(text).toContain('3 lines came so late that they count at the time of those before\n')
  })

  it('says which fields there are where no request has the one that was named', () => {
    const said = (field: string) => {
      const lacking = { field, has: ['user', 'path'] }
      return withInput({ requests: 0, log: log && { ...log, withoutKey: 5, lacking } })
    }
    expect(said('usr')).toContain(
      '5 requests left out, with no "usr" (did you mean "user"?); the first has user, path\n',
    )
    expect(said('ip')).toContain(
      '5 requests left out, with no address of a client; the first has user, path\n',
    )
  })

  it('says what was taken for the client in each log, why, and how sure that is', () => {
    const choice = {
      chain: null,
      peer: '1',
      rival: null,
      proxies: 0,
      confidence: 'sure',
      why: 'addresses in 5 of 5 lines',
    } as const
    const clients = [
      { ...choice, source: 'a.log' },
      { ...choice, source: 'b.log', chain: '+5', confidence: 'likely' as const },
      { ...choice, source: 'b.log', peer: 'request.client_ip\u001b', chain: null },
    ]
    const text = withInput({ log: log && { ...log, clients, others: 2 } })
    expect(text).toContain(
      [
        'client in a.log: field 1 of the line; sure: addresses in 5 of 5 lines',
        'client in b.log: field +5, behind the request, past the proxies in field 1 of the line; likely: addresses in 5 of 5 lines',
        'client in b.log: request.client_ip%1B; sure: addresses in 5 of 5 lines\n',
      ].join('\n'),
    )
    expect(text).toContain('2 lines left out: of no request\n')
  })

  it('groups a flood by network', () => {
    const networks = [{ network: '203.0.113.0/24', clients: 200, requests: 9000 }]
    expect(withInput({ networks })).toContain('by network: 203.0.113.0/24: 9,000 by 200 clients\n')
    expect(withResult({ text: 'p', refusedNetworks: networks })).toContain(
      '\n  by network: 203.0.113.0/24: 9,000 by 200 clients\n',
    )
  })

  it('says both days of a log that has several', () => {
    const [fromMs, toMs] = [Date.UTC(2026, 2, 9, 1), Date.UTC(2026, 2, 10, 2)]
    expect(withInput({ fromMs, toMs })).toContain('2026-03-09 01:00:00 to 2026-03-10 02:00:00 UTC, ')
  })

  // biome-ignore format: a table
  it.each([
    ['more than is promised',    window,                         `│ 12 of 10 in 1500 ms, ${'k'.repeat(23)}… at 00:00:00 │`],
    ['without a promise',        { ...window, most: null },      `│ 12 in 1500 ms, ${'k'.repeat(23)}… at 00:00:00`],
    ['in part',                  { ...window, atLeast: true },   `│ at least 12 of 10 in 1500 ms, `],
    ['empty',                    { ...window, count: 0 },        '│ –'],
  ])('describes a window %s', (_what, worstWindow, expected) => {
    expect(withResult({ worstWindow })).toContain(expected)
  })

  it('has dashes for numbers that there are none of', () => {
    expect(withResult({ text: 'fixedWindow:1/1m', tighter: null })).toMatch(
      /│ {3}half: – +│ +– │ +– │ +– │ +– │/,
    )
  })

  it('says where keys had to be forgotten', () => {
    expect(withResult({ text: 'p', keysForgotten: true })).toContain(
      'p needed more than a million keys at a time, so it admits too much here\n',
    )
  })

  it('says who else was refused, and that nobody was', () => {
    const refusedClients = Array.from({ length: 7 }, (_, i) => ({
      client: `c${i}`,
      offered: 9,
      refused: 8 - i,
    }))
    const text = withResult({ text: 'p', refused: 35, clientsRefused: 7, refusedClients, refusedBy: [] })
    expect(text).toContain(
      'p refuses c0: 8 of 9; c1: 7 of 9; c2: 6 of 9; c3: 5 of 9; c4: 4 of 9; and 2 others\n',
    )
    expect(withResult({ text: 'p', refused: 0 })).toContain('p refuses no requests\n')
  })

  it('prints nothing that a terminal obeys', () => {
    const text = withResult({
      text: '\u001B[2J',
      refusedClients: [{ client: '\u202Ea\n', offered: 1, refused: 1 }],
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(text.match(/[\u0000-\u0009\u000b-\u001f\u202e]/g)).toBeNull()
  })
})
