import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Report } from '../../src/crowd/report.ts'
import { crowdTests } from '../../src/crowd/tests.ts'
import { expectFacts, named, reported } from '../crowd/reported.ts'
import { busy, endpointAt, killAll, type Running, startCrowd, startZoo } from '../crowd/running.ts'

afterAll(killAll)

describe.each(['express', 'fastify', 'koa'])('its own zoo on %s', (framework) => {
  it('shows the log at the limit, the gang beyond it, and the pair at it again', async () => {
    const only = ['--only', 'log', 'gang', 'pair']
    expectFacts(await reported('40', '30', '--seconds', '1', '--framework', framework, ...only), 30)
  })
})

it('sees the log hold from one window to the next', async () => {
  const { admitted, mostInWindow } = named(
    await reported('40', '30', '--seconds', '13', '--only', 'log'),
    'log',
  )
  expect(admitted).toBeGreaterThan(40)
  expect(mostInWindow).toBe(30)
})

describe('sluice crowd --json', () => {
  let report: Report

  beforeAll(async () => {
    report = await reported('30', '20', '--seconds', '1')
  })

  it('says what was asked for, and where', () => {
    expect(report).toEqual({
      loops: 30,
      allowed: 20,
      windowMs: 10_000,
      secondsPerTest: 1,
      server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      dashboard: `${report.server}dashboard/#filter=crowd&windows`,
      interrupted: false,
      failure: null,
      tests: expect.any(Array),
    })
  })

  it('reports each test in turn', () => {
    expect(report.tests.map(({ name, about }) => ({ name, about }))).toEqual(
      crowdTests.map(({ name, about }) => ({ name, about })),
    )
    for (const test of report.tests) {
      expect(test).toEqual({
        name: expect.any(String),
        about: expect.any(String),
        rule: expect.any(String),
        bound: test.name === 'concurrency' ? null : expect.any(Number),
        offered: 150,
        admitted: expect.any(Number),
        refused: 150 - test.admitted,
        failed: 0,
        reasons: {},
        unsent: 0,
        peakPerSecond: expect.any(Number),
        mostInWindow: test.admitted,
        clients: expect.any(Number),
        fairness: expect.any(Number),
        inWindow: { stepMs: 1000 / 72, values: expect.any(Array) },
      })
      expect(test.inWindow.values).toHaveLength(72)
    }
  })

  it('shows the facts', () => {
    expectFacts(report, 20)
  })
})

describe('sluice crowd in a pipe', () => {
  let stdout: string
  let stderr: string

  beforeAll(async () => {
    ;({ stdout, stderr } = await (await startCrowd('--seconds', '1')).ended)
  })

  it('explains itself and runs a small example where it is given no numbers', () => {
    expect(stdout).toMatch(/^sluice crowd LOOPS ALLOWED sends the same crowd at each strategy/)
    expect(stdout).toContain('Without numbers, a small example: 40 loops, 30 operations allowed per 10 s')
    expect(stdout).toContain('3 tests of 1 s: about 200 requests in 10 s, 30 allowed')
  })

  it('prints a line for each test that has ended', () => {
    expect(stdout).toMatch(/^1\/3 log: 200 offered, 30 admitted, 170 refused, at most 30 of 30 in any 10 s$/m)
    expect(stdout).toMatch(/^2\/3 gang: 200 offered, /m)
    expect(stdout).toMatch(/^3\/3 pair: 200 offered, 30 admitted/m)
  })

  it('prints a table, and a chart of each test', () => {
    expect(stdout).toMatch(
      /^│ test +│ offered │ admitted │ refused │ failed │ peak per s │ most in 10 s │ fairness │$/m,
    )
    expect(stdout).toMatch(/^│ log +│ +200 │ +30 │ +170 │ +0 │ +30 │ +30 of 30 │ +0\.\d\d │$/m)
    expect(stdout).toMatch(/^│ gang +│.*│ +\d\d+ of 30 │ +1\.00 │$/m)
    expect(stdout.match(/^30 ┤▔+.*█/gm)).toHaveLength(3)
  })

  it('prints neither colours nor anything else for a terminal alone', () => {
    expect(`${stdout}${stderr}`).not.toContain('\u001B')
    expect(stderr).toBe('')
  })
})

describe('sluice crowd --url', () => {
  let program: Running
  let url: string

  beforeAll(async () => {
    ;({ program, url } = await startZoo())
  })

  it('drives the endpoint of a zoo that runs', async () => {
    const report = await reported('40', '30', '--seconds', '1', '--only', 'log', 'gang', 'pair', '--url', url)
    expect(report.server).toBe(`${url}/`)
    expectFacts(report, 30)
  })

  it('says who holds the endpoint', async () => {
    const order = { title: 'mine', policies: { all: { strategy: 'fixedWindow', limit: 1, window: '1s' } } }
    const opened = await fetch(`${url}/crowd`, { method: 'POST', body: JSON.stringify(order) })
    expect(opened.status).toBe(201)
    const { code, stderr } = await (await startCrowd('4', '3', '--url', url)).ended
    await fetch(new URL(opened.headers.get('Location') ?? '', url), { method: 'DELETE' })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^error: http:\S+ refuses the crowd \(409\): Run \w+, "mine", holds the endpoint for another \d+ s\.\n$/,
    )
  })

  it('ends the run at Ctrl-C, and prints what was seen', async () => {
    const crowd = await startCrowd('400', '30', '--only', 'log', 'gang', '--seconds', '20', '--url', url)
    await busy(url)
    crowd.signal('SIGINT')
    const { code, stdout, stderr } = await crowd.ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
    expect(stdout).toMatch(/^1\/2 log: .* not sent$/m)
    expect(stdout).toMatch(/^│ log +│/m)
    expect(stdout).not.toContain('Gate, new names')
    // Nothing is drawn of the time that did not come.
    expect(stdout).toMatch(/^ *0 ┼─{1,60}$/m)
    expect(await endpointAt(url)).toEqual({ open: null })
  })

  it('ends with a sentence when the server goes away, and prints what was seen', async () => {
    const crowd = await startCrowd('400', '30', '--only', 'log', 'gang', '--seconds', '20', '--url', url)
    await busy(url)
    await program.kill()
    const { code, stdout, stderr } = await crowd.ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: the server has gone away \(ECONN\w+\)\n$/)
    expect(stdout).toMatch(/^1\/2 log: .* failed \(ECONN.* not sent$/m)
    expect(stdout).toMatch(/^│ log +│/m)
  })

  it('ends with a sentence where nobody answers', async () => {
    const { code, stdout, stderr } = await (await startCrowd('4', '3', '--url', url, '--json')).ended
    expect({ code, stderr: stderr.split('\n').at(-2) }).toEqual({
      code: 1,
      stderr: `error: no answer from ${url} (ECONNREFUSED)`,
    })
    expect(JSON.parse(stdout)).toMatchObject({ failure: `no answer from ${url} (ECONNREFUSED)`, tests: [] })
  })
})

it('ends with a sentence where there is no endpoint', async () => {
  const { url } = await startZoo('--no-crowd')
  const { code, stderr } = await (await startCrowd('4', '3', '--url', url)).ended
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `error: ${url} has no load-test endpoint: is it a zoo without --no-crowd?\n`,
  })
})

it('counts answers that are neither an admission nor a refusal', async () => {
  // The first ticket of each run is sold without its instants, all others end in an error of the server.
  let asked = 0
  const server = createServer((request, response) => {
    if (request.method === 'DELETE') response.writeHead(204).end()
    else if (request.url === '/crowd')
      response.writeHead(201).end(JSON.stringify({ run: 'a', limiter: 'a', tickets: '/t', seconds: 1 }))
    else response.writeHead(asked++ === 0 ? 201 : 500).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const report = await reported(
    '4',
    '3',
    '--seconds',
    '1',
    '--only',
    'log',
    '--url',
    `http://127.0.0.1:${port}`,
  )
  server.close()
  expect(named(report, 'log')).toMatchObject({
    offered: 20,
    admitted: 0,
    failed: 20,
    reasons: { 'status 500': 19, 'a ticket without its times': 1 },
    fairness: null,
  })
})

it('keeps its zoo open if asked to', async () => {
  const crowd = await startCrowd('4', '3', '--seconds', '1', '--only', 'log', '--stay')
  const address = await crowd.prints(/http:\S+\/dashboard\//)
  await crowd.prints(/keeps running until Ctrl-C/)
  const page = await fetch(address)
  expect({ status: page.status, type: page.headers.get('Content-Type') }).toEqual({
    status: 200,
    type: expect.stringContaining('text/html'),
  })
  expect((await fetch(new URL('/', address))).url).toBe(address)
  crowd.signal('SIGINT')
  expect((await crowd.ended).code).toBe(0)
})

// biome-ignore format: a table
it.each([
  // args                          what is said
  [['400'],                        "error: missing required argument 'allowed': how many operations to allow per 10 seconds"],
  [['400', 'x'],                   'error: ALLOWED: expected a whole number from 1 to 100,000, got "x"'],
  [['400', '300', '7'],            "error: too many arguments for 'crowd'. Expected 2 arguments but got 3."],
  [['400', '300', '--urk', 'x'],   "error: unknown option '--urk'"],
])('ends with 2, one sentence and the way to help: %j', async (args, said) => {
  const { code, stdout, stderr } = await (await startCrowd(...args)).ended
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toBe(said)
  expect(stderr).toContain('sluice --help lists the commands')
})

it('helps', async () => {
  const { code, stdout } = await (await startCrowd('--help')).ended
  expect(code).toBe(0)
  for (const { name, about } of crowdTests) expect(stdout).toMatch(new RegExp(`^  ${name} +${about}$`, 'm'))
})
