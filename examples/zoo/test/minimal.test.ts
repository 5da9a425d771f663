import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { begin, minimalServers, start } from './minimal.ts'
import { bundledExample, killPrograms, until } from './program.ts'

afterEach(killPrograms)

/** All that comes until the server ends the connection. */
async function answerOf(socket: Socket): Promise<string> {
  socket.write('\r\n')
  return text(socket)
}

/** Whether nobody gets in any more. */
function isClosed(port: number): Promise<boolean> {
  return fetch(`http://localhost:${port}/`).then(
    () => false,
    () => true,
  )
}

describe.each(minimalServers())('the minimal server on %s', (framework, server) => {
  test.each([
    ['says where it is, serves and limits, and on SIGTERM answers who has asked, and ends', 'SIGTERM', true],
    ['on SIGINT answers who has asked, and ends', 'SIGINT', false],
  ] as const)('%s', async (_what, signal, limits) => {
    const { program, port } = await start(server)
    if (limits) await expectLimits(await program.prints(/http:\/\/\S+/))
    const socket = await begin(port)
    // Another one is served after it, so the server has read what there is of the first.
    await fetch(`http://localhost:${port}/`).then((answer) => answer.text())
    program.signal(signal)
    await until('closed door', () => isClosed(port))
    const answer = await answerOf(socket)
    // Fastify itself answers with 503 what it has not read in full when it closes.
    const status = framework === 'fastify' ? '503' : limits ? '(200|429)' : '200'
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    if (status === '200') expect(answer).toMatch(/Hello\n/)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(await program.ended()).toBe(0)
    expect(program.stderr).toBe('')
  })
})

/** A hundred in a second, and a wait for those beyond. */
async function expectLimits(url: string): Promise<void> {
  const first = await fetch(url)
  expect(await first.text()).toBe('Hello\n')
  expect(first.headers.get('x-ratelimit-limit')).toBe('100')
  expect(first.headers.get('x-ratelimit-remaining')).toBe('99')
  const others = await Promise.all(Array.from({ length: 120 }, () => fetch(url)))
  const refused = others.filter(({ status }) => status === 429)
  expect(others.length - refused.length).toBeGreaterThanOrEqual(99)
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
}

test('an API that is sold by the month finishes its reports on SIGTERM, those in line too', async () => {
  const { program, port } = await start(bundledExample('paid-api/src/server.ts'))
  const headers = { 'x-api-key': 'ada-1815' }
  const ask = (method: string, path: string) => fetch(`http://localhost:${port}${path}`, { method, headers })
  const reports = Array.from({ length: 6 }, () => ask('POST', '/reports').then(({ status }) => status))
  // All six have come in, whoever is served: each is charged, as is each of these.
  let searches = 0
  await until('six reports', async () => {
    const { headers: fields } = await ask('GET', '/search')
    searches++
    return 1000 - Number(fields.get('x-ratelimit-remaining')) - searches === 6
  })
  program.signal('SIGTERM')
  expect(await Promise.all(reports)).toEqual(new Array(6).fill(200))
  expect(await program.ended()).toBe(0)
  expect(program.stderr).toBe('')
})
