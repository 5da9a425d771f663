import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as asked } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { credentials } from '@grpc/grpc-js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Certificate, makeCertificate } from '@sluice/faults/outage'
import { type LimitsServer, type ServeOptions, serveLimits } from '../src/index.ts'
import { descriptor, type EnvoyClient, envoyClient } from './client.ts'

const names = ['DNS:localhost', 'IP:127.0.0.1']
/** Less than a handshake may take, after which such a connection ends by itself. */
const beforeHandshakeMs = 9000
let first: Certificate
let second: Certificate
let mine: Certificate
beforeAll(() => {
  first = makeCertificate(...names)
  second = makeCertificate(...names)
  mine = makeCertificate('DNS:client')
})
afterAll(() => {
  for (const each of [first, second, mine]) each.remove()
})

let folder: string
let server: LimitsServer
const clients: EnvoyClient[] = []
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tls-'))
  writeFileSync(at('limits.yaml'), 'schema: { user: { limits: [9, 10, 60] } }')
  use(first)
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

const at = (name: string) => path.join(folder, name)

function use({ file, keyFile }: Certificate): void {
  copyFileSync(file, at('cert.pem'))
  copyFileSync(keyFile, at('key.pem'))
}

/** The lines of the log; `next` resolves at the next one. */
function logging() {
  const lines: string[] = []
  let told = () => {}
  const say = (line: string) => {
    lines.push(line)
    told()
  }
  const next = () =>
    new Promise<void>((resolve) => {
      told = resolve
    })
  return { logger: { warn: say, error: say }, lines, next }
}

async function serve(options: Partial<ServeOptions> = {}, clientCa?: string): Promise<void> {
  server = await serveLimits({
    file: at('limits.yaml'),
    grpc: { port: 0 },
    http: { port: 0 },
    logger: { warn() {}, error() {} },
    tls: { cert: at('cert.pem'), key: at('key.pem'), clientCa },
    ...options,
  })
}

/** Over gRPC, trusting that certificate and showing one, if any. */
function code(trusted: Certificate, shown?: Certificate): Promise<string> {
  const own = shown && [readFileSync(shown.keyFile), readFileSync(shown.file)]
  const channel = credentials.createSsl(readFileSync(trusted.file), ...(own ?? []))
  const client = envoyClient(server.grpc?.port ?? 0, channel)
  clients.push(client)
  const deadline = { deadline: Date.now() + 5000 }
  return client.limit({ domain: 'user', descriptors: [descriptor('a=b')] }, deadline).then(
    ({ overall_code }) => overall_code,
    ({ code }) => String(code),
  )
}

/** Over HTTP, by a connection of its own. */
async function status(
  trusted: Certificate,
  { shown, url = '/check', token }: { shown?: Certificate; url?: string; token?: string } = {},
): Promise<string> {
  const own = shown && { cert: readFileSync(shown.file), key: readFileSync(shown.keyFile) }
  const about = {
    ...trusted.options,
    ...own,
    host: '127.0.0.1',
    servername: 'localhost',
    port: server.http?.port,
    path: url,
    method: url === '/check' ? 'POST' : 'GET',
    agent: false,
    ...(token !== undefined && { headers: { Authorization: token } }),
  } as const
  return new Promise((resolve) => {
    const sent = asked(about, async (answer) => {
      await textOf(answer)
      resolve(String(answer.statusCode))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    sent.end(about.method === 'POST' ? '{"path":["user"]}' : undefined)
  })
}

describe('with a certificate', () => {
  it('both protocols speak TLS, and nothing else', async () => {
    await serve()
    expect(await code(first)).toBe('OK')
    expect(await status(first)).toBe('200')
    expect(await status(second)).toMatch(/SIGNED/)
    const plain = envoyClient(server.grpc?.port ?? 0)
    clients.push(plain)
    const asking = plain.limit(
      { domain: 'user', descriptors: [descriptor('a=b')] },
      { deadline: Date.now() + 2000 },
    )
    await expect(asking).rejects.toMatchObject({ code: expect.any(Number) })
    await expect(fetch(`http://127.0.0.1:${server.http?.port}/healthz`)).rejects.toThrow()
  })

  it(
    'who never speaks TLS holds the end up no longer than others',
    async () => {
      await serve({ grpc: false, grace: '50ms' })
      const silent = connect(server.http?.port ?? 0, '127.0.0.1')
      await once(silent, 'connect')
      expect(await status(first)).toBe('200')
      const ended = once(silent, 'close')
      await server.close()
      await ended
    },
    beforeHandshakeMs,
  )

  it('another one applies as soon as its files are there', async () => {
    const log = logging()
    await serve({ logger: log.logger })
    expect(await status(first)).toBe('200')
    const next = log.next()
    use(second)
    await next
    expect(log.lines).toEqual(['[sluice] the certificate was read again, and applies'])
    expect([await status(second), await code(second)]).toEqual(['200', 'OK'])
    expect(await status(first)).toMatch(/SIGNED/)
  })

  it('files that do not go together change nothing', async () => {
    const log = logging()
    await serve({ logger: log.logger })
    const next = log.next()
    copyFileSync(second.keyFile, at('key.pem'))
    await next
    expect(log.lines).toEqual([
      expect.stringMatching(
        /the certificate stays what it was: expected a certificate and its key in PEM \(.*mismatch\)/,
      ),
    ])
    expect([await status(first), await code(first)]).toEqual(['200', 'OK'])
  })
})

describe('with an authority of clients', () => {
  it('only who shows a certificate of it may ask; probes need none', async () => {
    await serve({}, mine.file)
    expect([await code(first, mine), await status(first, { shown: mine })]).toEqual(['OK', '200'])
    expect([await code(first), await status(first)]).toEqual(['14', '403'])
    expect([await code(first, second), await status(first, { shown: second })]).toEqual(['14', '403'])
    for (const url of ['/healthz', '/readyz']) expect(await status(first, { url })).toBe('200')
    expect(await status(first, { url: '/metrics' })).toBe('403')
    expect(await status(first, { url: '/metrics', shown: mine })).toBe('200')
  })
})

describe('with a token', () => {
  const bearing = (token?: string, url = '/check') =>
    status(first, { url, ...(token !== undefined && { token }) })

  it('only who sends it may ask, and one that changes applies', async () => {
    writeFileSync(at('token'), 'open-sesame\n')
    const log = logging()
    await serve({ tokenFile: at('token'), logger: log.logger })
    expect(await bearing('Bearer open-sesame')).toBe('200')
    expect(await bearing('bearer  open-sesame')).toBe('200')
    for (const wrong of [
      undefined,
      'Bearer',
      'Bearer open-sesam',
      'Bearer open-sesame x',
      'Basic open-sesame',
      'open-sesame',
    ])
      expect([wrong, await bearing(wrong)]).toEqual([wrong, '401'])
    expect(await bearing(undefined, '/auth')).toBe('401')
    for (const url of ['/healthz', '/metrics']) expect(await bearing(undefined, url)).toBe('200')
    const next = log.next()
    writeFileSync(at('token'), 'other')
    await next
    expect([await bearing('Bearer other'), await bearing('Bearer open-sesame')]).toEqual(['200', '401'])
    const again = log.next()
    writeFileSync(at('token'), '')
    await again
    expect(log.lines.at(-1)).toMatch(/the token stays what it was: expected a token of visible ASCII/)
    expect([await bearing('Bearer other'), await bearing('Bearer ')]).toEqual(['200', '401'])
  })
})

// biome-ignore format: a table
it.each<readonly [what: string, options: object, path: string]>([
  ['no key',                    { tls: { cert: 'cert.pem' } },                       'tls.key'],
  ['a certificate not there',   { tls: { cert: '/none.pem', key: '/none.pem' } },    'tls.cert'],
  ['an unknown name',           { tls: { cert: 'a', key: 'b', ca: 'c' } },           'tls.ca'],
  ['no options',                { tls: true },                                       'tls'],
  ['a token file not there',    { tokenFile: '/none' },                              'tokenFile'],
  ['a token file without name', { tokenFile: '' },                                   'tokenFile'],
  ['null for observers',        { observers: null },                                 'observers'],
  ['null for a store',          { store: null },                                     'store'],
  ['null for headers',          { headers: null },                                   'headers'],
  ['a draft that is none',      { headers: { draft: 5 } },                           'headers.draft'],
])('%s is an OptionError', async (_what, options, name) => {
  await serve()
  await expect(serveLimits({ file: at('limits.yaml'), grpc: false, http: { port: 0 }, ...options })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: name })
})

it('a certificate that is none is an OptionError', async () => {
  await serve()
  const tls = { cert: at('limits.yaml'), key: at('key.pem') }
  await expect(serveLimits({ file: at('limits.yaml'), tls })).rejects.toMatchObject({
    code: 'SLUICE_OPTION',
    path: 'tls',
  })
})
