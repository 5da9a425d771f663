import type { Comparison, Result } from '../../../src/compare/comparison.ts'
import type { Suggestions } from '../../../src/compare/suggest/suggestion.ts'

const fromMs = Date.UTC(2026, 2, 10, 13)

/** A name as an attacker would put it into a log. */
export const hostile =
  '</script><script>document.title="taken"</script><img src=x onerror="document.title=1">\u202Eevil'

/** One that was found, and one for which there are no numbers. */
export const suggestions: Suggestions = {
  mostRefused: 0.01,
  wellBehavedShare: 0.95,
  busiestMinute: 25,
  wellBehaved: { clients: 238, requests: 9000 },
  others: { clients: 12, requests: 3345 },
  found: [
    {
      text: 'gcra:14/1m,burst=13',
      code: "gcra({ count: 14, period: '1m', burst: 13 })",
      yaml: '{ strategy: gcra, count: 14, period: 1m, burst: 13 }',
      wellBehaved: { clients: 1, requests: 7 },
      others: { clients: 10, requests: 3000 },
    },
  ],
  notFound: ['uniform:1s'],
}

/** Twenty minutes of two policies: one that counts each client, and a file of limits, which has no one window. */
export function aComparison(changes: Partial<Comparison> = {}): Comparison {
  return {
    input: {
      source: 'access.log.gz',
      clientBy: 'ip',
      requests: 12_345,
      units: 12_345,
      clients: 250,
      requestsOfOthers: 0,
      fromMs,
      toMs: fromMs + 1_199_000,
      requestsPerSecond: 10.2875,
      peak: { count: 41, atMs: fromMs + 601_000 },
      wellBehaved: { clients: 238, busiestMinute: 24 },
      networks: [],
      log: {
        lines: 12_348,
        malformed: 3,
        firstMalformed: { source: 'access.log.gz', line: 3461, text: '192.0.2.1 - <b>', reason: 'no time' },
        movedOn: 2,
        withoutKey: 0,
        lacking: null,
        others: 0,
        clients: [],
      },
    },
    timeline: { fromMs, stepMs: 2000, offered: perStep(() => 20) },
    results: [perClient, file],
    suggestions: null,
    ...changes,
  }
}

function perStep(value: (step: number) => number): readonly number[] {
  return Array.from({ length: 600 }, (_, step) => value(step))
}

const perClient: Result = {
  text: 'slidingWindowLog:60/1m',
  title: 'sliding window log',
  rule: '60 in 1 min',
  keyedBy: 'ip',
  admitted: 10_000,
  refused: 2345,
  refusedShare: 2345 / 12_345,
  clientsRefused: 22,
  wellBehavedRefused: 10,
  keysForgotten: false,
  refusedClients: [
    { client: hostile, offered: 2432, refused: 1952 },
    { client: '2001:db8::1', offered: 400, refused: 393 },
  ],
  refusedNetworks: [{ network: '203.0.113.0/24', clients: 5, requests: 2200 }],
  worstSecond: { count: 17, atMs: fromMs + 601_000 },
  worstWindow: {
    count: 60,
    atMs: fromMs + 660_000,
    key: hostile,
    windowMs: 60_000,
    most: 60,
    atLeast: false,
  },
  tighter: {
    text: 'slidingWindowLog:30/1m',
    rule: '30 in 1 min',
    admitted: 8000,
    refused: 4345,
    refusedShare: 4345 / 12_345,
    clientsRefused: 90,
  },
  looser: {
    text: 'slidingWindowLog:120/1m',
    rule: '120 in 1 min',
    admitted: 12_345,
    refused: 0,
    refusedShare: 0,
    clientsRefused: 0,
  },
  refusedBy: [],
  admittedOverTime: perStep((step) => 12 + (step % 7)),
  refusedOverTime: perStep((step) => (step > 300 && step < 400 ? 8 : 0)),
  windowOverTime: perStep((step) => Math.min(60, step)),
}

const file: Result = {
  ...perClient,
  text: 'limits.yaml',
  title: 'file of limits',
  rule: '3 limits',
  keyedBy: 'user/{user}',
  admitted: 12_345,
  refused: 0,
  refusedShare: 0,
  clientsRefused: 0,
  wellBehavedRefused: 0,
  keysForgotten: false,
  refusedClients: [],
  refusedNetworks: [],
  worstWindow: null,
  tighter: null,
  windowOverTime: null,
}

/** No request at all. */
export function nothing(): Comparison {
  const { input, results } = aComparison()
  const none = { admitted: 0, refused: 0, refusedShare: 0, clientsRefused: 0 }
  const empty = { admittedOverTime: [], refusedOverTime: [], refusedClients: [], refusedNetworks: [] }
  return {
    input: {
      ...input,
      ...{ requests: 0, units: 0, clients: 0, fromMs: 0, toMs: 0, requestsPerSecond: 0, log: null },
      peak: { count: 0, atMs: 0 },
    },
    timeline: { fromMs: 0, stepMs: 1000, offered: [] },
    suggestions: null,
    results: results.map((result) => ({
      ...result,
      ...none,
      ...empty,
      worstSecond: { count: 0, atMs: 0 },
      worstWindow: null,
      windowOverTime: result.windowOverTime === null ? null : [],
    })),
  }
}
