import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { example, freePort, killPrograms, type Program, until } from './program.ts'
import { frameworks } from './zoo.ts'

afterEach(killPrograms)

interface Started {
  readonly program: Program
  readonly port: number
}

async function start(folder: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const port = await freePort()
  // Where it is started at home, its compiler options are found: those of Nest know decorators.
  const options =
    folder === 'nest-minimal' ? { TSX_TSCONFIG_PATH: 'examples/nest-minimal/tsconfig.json' } : {}
  const program = example(`${folder}/src/server.ts`, { PORT: String(port), ...options, ...env })
  await program.prints(/http:\/\/\S+/)
  return { program, port }
}

/** A request whose last line is still to come. */
async function begin(port: number): Promise<Socket> {
  const socket = connect(port, 'localhost')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n')
  return socket
}

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

describe.each([...frameworks, 'nest', 'hono'])('the minimal server on %s', (framework) => {
  const folder = `${framework}-minimal`

  test('says where it is, serves, and limits', async () => {
    const { program } = await start(folder)
    const url = await program.prints(/http:\/\/\S+/)
    const first = await fetch(url)
    expect(await first.text()).toBe('Hello\n')
    expect(first.headers.get('x-ratelimit-limit')).toBe('100')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('99')
    const others = await Promise.all(Array.from({ length: 120 }, () => fetch(url)))
    const refused = others.filter(({ status }) => status === 429)
    expect(others.length - refused.length).toBeGreaterThanOrEqual(99)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(program.stderr).toBe('')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('on %s answers who has asked, and ends', async (signal) => {
    const { program, port } = await start(folder)
    const socket = await begin(port)
    // Another one is served after it, so the server has read what there is of the first.
    await fetch(`http://localhost:${port}/`).then((answer) => answer.text())
    program.signal(signal)
    await until('closed door', () => isClosed(port))
    // Fastify itself answers with 503 what it has not read in full when it closes.
    expect(await answerOf(socket)).toMatch(
      framework === 'fastify' ? /^HTTP\/1\.1 503 / : /^HTTP\/1\.1 200 [\s\S]*Hello\n/,
    )
    expect(await program.ended()).toBe(0)
    expect(program.stderr).toBe('')
  })
})

test('an API that is sold by the month finishes its reports on SIGTERM, those in line too', async () => {
  const { program, port } = await start('paid-api')
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
