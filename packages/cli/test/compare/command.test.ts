import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Comparison } from '../../src/compare/comparison.ts'
import { type Ended, folderWith, program, sluice, sluiceAlone } from '../sluice.ts'

const line = (client: string, second: number) =>
  `${client} - ann [10/Mar/2026:13:00:0${second} +0000] "GET /a HTTP/1.1" 200 5\n`
/** Five requests of one client within a second, one of another. */
const log = `${line('192.0.2.1', 1).repeat(5)}${line('192.0.2.2', 2)}`
const limits = `schema:
  user:
    children:
      "*":
        limits: [1, 3, 60]
        children:
          GET:
            limits: { burst: { strategy: fixedWindow, limit: 1, window: 1s }, inside: { strategy: concurrency, limit: 1 } }
`

let folder = ''
beforeAll(() => {
  folder = folderWith({
    'access.log': log,
    'access.log.gz': gzipSync(log),
    'odd.log': `\u001B[31mred\n${log}`,
    'json.log':
      '{"at":1773147601,"peer":{"ip":"192.0.2.1"},"units":3}\n{"at":1773147602,"peer":{"ip":"192.0.2.1"},"units":2}\n',
    'empty.log': '',
    'proxy.log': log.replaceAll('192.0.2.2', '10.0.0.1').replaceAll('192.0.2.1', '10.0.0.1'),
    'chain.log': log.replaceAll('5\n', '5 "-" "-" "203.0.113.7, 192.0.2.9"\n'),
    'limits.yaml': limits,
    'broken.yaml': 'schema: { user: { limts: [1, 2, 3] } }\n',
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function compare(...args: readonly string[]): Promise<Ended> {
  return sluice(folder, 'compare', ...args)
}

async function compared(...args: readonly string[]): Promise<Comparison> {
  const { code, stdout, stderr } = await compare(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const fixed = ['--policy', 'fixedWindow:4/1m']

// Of a log in whole seconds, a gate of half a second sees what one of a second sees.
const table = `access.log: 6 requests; 2 clients by IP
client: field 1 of the line; sure: addresses in 6 of 6 lines
2026-03-10 13:00:01 to 13:00:02 UTC, 6 a second, at most 5 in a second (13:00:01)

┌────────────────────────┬──────────┬─────────┬────────┬─────────────────┬────────────────┬────────────────────────────────────────┐
│ policy                 │ admitted │ refused │  share │ clients refused │ busiest second │ fullest window                         │
├────────────────────────┼──────────┼─────────┼────────┼─────────────────┼────────────────┼────────────────────────────────────────┤
│ fixedWindow:4/1m by IP │        5 │       1 │ 16.7 % │               1 │              4 │ 4 of 4 in 1 min, 192.0.2.1 at 13:00:01 │
│   half: 2 in 1 min     │        3 │       3 │ 50.0 % │               1 │                │                                        │
│   double: 8 in 1 min   │        6 │       0 │  0.0 % │               0 │                │                                        │
├────────────────────────┼──────────┼─────────┼────────┼─────────────────┼────────────────┼────────────────────────────────────────┤
│ uniform:1s by IP       │        2 │       4 │ 66.7 % │               1 │              1 │ 1 of 1 in 1 s, 192.0.2.1 at 13:00:01   │
│   half: 1 in 2 s       │        2 │       4 │ 66.7 % │               1 │                │                                        │
│   double: 1 in 500 ms  │        2 │       4 │ 66.7 % │               1 │                │                                        │
└────────────────────────┴──────────┴─────────┴────────┴─────────────────┴────────────────┴────────────────────────────────────────┘

fixedWindow:4/1m refuses 192.0.2.1: 1 of 5
uniform:1s refuses 192.0.2.1: 4 of 5
`

describe('sluice compare', () => {
  it('prints a table of what each policy would have done', async () => {
    const { code, stdout, stderr } = await compare('access.log', ...fixed, '--policy', 'uniform:1s')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(table)
  })

  it('prints the same for programs', async () => {
    const { input, timeline, results } = await compared('access.log.gz', ...fixed)
    const fromMs = Date.UTC(2026, 2, 10, 13, 0, 1)
    expect(input).toEqual({
      source: 'access.log.gz',
      clientBy: 'ip',
      requests: 6,
      units: 6,
      clients: 2,
      requestsOfOthers: 0,
      fromMs,
      toMs: fromMs + 1000,
      requestsPerSecond: 6,
      peak: { count: 5, atMs: fromMs },
      wellBehaved: null,
      networks: [],
      log: {
        lines: 6,
        malformed: 0,
        firstMalformed: null,
        movedOn: 0,
        withoutKey: 0,
        lacking: null,
        others: 0,
        clients: [
          {
            source: 'access.log.gz',
            chain: null,
            peer: '1',
            rival: null,
            proxies: 0,
            confidence: 'sure',
            why: 'addresses in 6 of 6 lines',
          },
        ],
      },
    })
    expect(timeline).toEqual({ fromMs, stepMs: 1000, offered: [5, 1] })
    expect(results).toEqual([
      {
        text: 'fixedWindow:4/1m',
        title: 'fixed window',
        rule: '4 in 1 min',
        keyedBy: 'ip',
        admitted: 5,
        refused: 1,
        refusedShare: 1 / 6,
        clientsRefused: 1,
        wellBehavedRefused: 0,
        keysForgotten: false,
        refusedClients: [{ client: '192.0.2.1', offered: 5, refused: 1 }],
        refusedNetworks: [],
        worstSecond: { count: 4, atMs: fromMs },
        worstWindow: { count: 4, atMs: fromMs, key: '192.0.2.1', windowMs: 60_000, most: 4, atLeast: false },
        tighter: {
          text: 'fixedWindow:2/1m',
          rule: '2 in 1 min',
          admitted: 3,
          refused: 3,
          refusedShare: 0.5,
          clientsRefused: 1,
        },
        looser: {
          text: 'fixedWindow:8/1m',
          rule: '8 in 1 min',
          admitted: 6,
          refused: 0,
          refusedShare: 0,
          clientsRefused: 0,
        },
        refusedBy: [],
        admittedOverTime: [4, 1],
        refusedOverTime: [1, 0],
        windowOverTime: [4, 1],
      },
    ])
  })

  it('shows the first line that cannot be read, and nothing that a terminal would obey', async () => {
    const { stdout } = await compare('odd.log', ...fixed)
    expect(stdout).toContain(
      '1 of 7 lines could not be read, the first is odd.log:1: expected a time such as 10/Oct/2000:13:55:36 -0700 or 2000-10-10T20:55:36Z\n  %1B[31mred\n',
    )
    expect(stdout).not.toContain('\u001B')
  })

  it.each([
    ['plain', Buffer.from(log)],
    ['packed', gzipSync(log)],
  ])('reads standard input: %s', async (_how, bytes) => {
    const child = spawn(process.execPath, [await program(), 'compare', ...fixed, '--json'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [printed] = await Promise.all([text(child.stdout), once(child, 'close'), child.stdin.end(bytes)])
    const { input, results }: Comparison = JSON.parse(printed)
    expect([input.source, input.requests, results[0]?.admitted]).toEqual(['standard input', 6, 5])
  })

  it('reads JSON lines with names and costs of their own', async () => {
    const fields = ['--field', 'time=at', '--field', 'ip=peer.ip', '--cost', 'field:units']
    const { input, results } = await compared('json.log', ...fields, ...fixed)
    expect([input.requests, input.units, results[0]?.admitted]).toEqual([2, 5, 1])
  })

  it('tries a file of limits before it goes live', async () => {
    const [file, ...others] = (
      await compared('access.log', '--limits', 'limits.yaml', '--path', 'user/{ip}/{method}')
    ).results
    expect(others).toEqual([])
    // Each level counts whatever another refuses: of five at once the gate lets one pass, and the rate admits two.
    expect(file).toMatchObject({
      text: 'limits.yaml',
      title: 'limits file',
      rule: '3 limits',
      keyedBy: 'user/{ip}/{method}',
      admitted: 2,
      refused: 4,
      refusedClients: [{ client: '192.0.2.1', offered: 5, refused: 4 }],
      worstWindow: null,
      windowOverTime: null,
      tighter: { rule: 'times twice as long', admitted: 2 },
      looser: { rule: 'times half as long', admitted: 2 },
      refusedBy: [
        { level: 'user/*', refused: 3 },
        { level: 'user/*/GET/burst', refused: 1 },
      ],
    })
  })

  it('replays made-up traffic, the same for the same seed', async () => {
    const traffic = [
      '--traffic',
      'poisson:rate=20,clients=5,duration=30s,seed=7',
      '--policy',
      'slidingWindowLog:10/5s',
    ]
    const [first, second] = await Promise.all([compared(...traffic), compared(...traffic)])
    expect(second).toEqual(first)
    expect(first.input).toMatchObject({
      source: 'generated traffic poisson:rate=20,clients=5,duration=30s,seed=7',
      log: null,
    })
    expect(first.input.requests).toBeGreaterThan(500)
    expect(first.results[0]?.worstWindow?.count).toBe(10)
  })

  it('writes a page', async () => {
    const { code } = await compare('access.log', ...fixed, '--html', 'report.html')
    expect(code).toBe(0)
    const page = readFileSync(path.join(folder, 'report.html'), 'utf8')
    expect(page).toContain('1 of 2 clients is refused')
    expect(page).toContain(
      '<code>sluice compare access.log --policy fixedWindow:4/1m --html report.html</code>',
    )
  })

  it('ends with 1 where there is nothing to replay', async () => {
    expect(await compare('empty.log', ...fixed)).toEqual({
      code: 1,
      stdout: 'empty.log: no request to replay\n',
      stderr: '',
    })
  })

  it('ends with 1 where the clients cannot be right, and says what to do', async () => {
    for (const more of [[], ['--json'], ['--html', 'unjudged.html']]) {
      const { code, stdout, stderr } = await compare('proxy.log', ...fixed, ...more)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        /^error: cannot judge proxy\.log: all 6 requests have one client, 10\.0\.0\.1, a private address: a proxy in front\. Let .*; if these are the clients, name the field .*\n$/,
      )
    }
    expect(existsSync(path.join(folder, 'unjudged.html'))).toBe(false)
  })

  it('takes a field by its number, and trusts the proxies that are named', async () => {
    const field = ['--client', '-1']
    const [last, first] = await Promise.all([
      compared('chain.log', ...field, ...fixed),
      compared('chain.log', ...field, '--trust', '192.0.2.0/24', ...fixed),
    ])
    expect(last.results[0]?.refusedClients[0]?.client).toBe('203.0.113.7')
    expect(last.input.log?.clients).toMatchObject([{ chain: '-1', proxies: 1, confidence: 'likely' }])
    expect(first.results[0]?.refusedClients[0]?.client).toBe('203.0.113.7')
    expect(first.input.log?.clients).toMatchObject([{ chain: '-1', proxies: 0, confidence: 'sure' }])
  })

  it('says the problems of a file of limits on standard error, as programs read the other, and ends with 1', async () => {
    expect(await compare('access.log', '--limits', 'broken.yaml', '--path', 'user/{ip}', '--json')).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^broken\.yaml:1:19: schema\.user\.limts: .*\n1 problem\n$/),
      stdout: '',
    })
  })

  it('says in --help how policies are written', async () => {
    const { code, stdout } = await compare('--help')
    expect(code).toBe(0)
    expect(stdout).toContain('  tokenBucket:10/1s,capacity=50\n')
  })

  // biome-ignore format: a table
  it.each([
    [[],                                                  'nothing to compare: give a policy, as in --policy gcra:100/1m, a file with --limits, or use --suggest'],
    [['absent.log', ...fixed],                            'cannot read absent.log (ENOENT: no such file or directory)'],
    [['.', ...fixed],                                     'cannot read . (it is a folder)'],
    [['access.log', '--html', 'no/r.html', ...fixed],     'cannot write no/r.html (ENOENT: no such file or directory)'],
  ])('is refused where it makes no sense: %j', async (args, expected) => {
    const { code, stdout, stderr } = await sluiceAlone(folder, 'compare', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')[0]).toBe(`error: ${expected}`)
  })
})
