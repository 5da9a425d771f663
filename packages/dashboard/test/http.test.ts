import { once } from 'node:events'
import net from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createLimiter, fixedWindow, type Observer } from '@sluice/core'
import { memorySink, type Recorder, recorder } from '@sluice/telemetry'
import { type Dashboard, dashboard } from '../src/index.ts'
import { act, ask } from './ask.ts'
import { Listener, listen, type Site } from './site.ts'

let seen: Recorder
let limiter: ReturnType<typeof loginLimiter>
let page: Dashboard
let site: Site
const listeners: Listener[] = []

function loginLimiter(observer: Observer) {
  const policy = fixedWindow({ limit: 2, window: '1m' })
  return createLimiter({ name: 'login', policy, observers: [observer] })
}

beforeEach(async () => {
  seen = recorder(memorySink())
  limiter = loginLimiter(seen)
  page = dashboard({
    recorder: seen,
    limiters: [limiter],
    mayManage: ({ headers }) => headers['x-role'] === 'admin',
  })
  site = await listen(page)
})

afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.close()
  await page.close()
  await site.close()
  await limiter.close()
  await seen.close()
})

function listenTo(path = '/stream', headers: { readonly [name: string]: string } = {}): Listener {
  const listener = new Listener(`${site.origin}${path}`, headers)
  listeners.push(listener)
  return listener
}

/** The id of a key that is shown. */
async function shownId(): Promise<string> {
  for (let i = 0; i < 3; i++) await limiter.check('bob')
  const { keys } = await listenTo().until('keys', (message) => message.keys.length > 0)
  return keys[0]?.id ?? ''
}

const asAdmin = { 'X-Role': 'admin' }

describe('the page', () => {
  // biome-ignore format: a table
  test.each([
    // asked for                     status  leads to or holds
    ['/',                            200, 'Sluice'],
    ['/dashboard/',                  200, 'Sluice'],
    ['/a/b/dashboard/',              200, 'Sluice'],
    ['/dashboard/tokens.css',        200, '--admitted'],
    ['/dashboard/uplot.js?v=1',      200, 'uPlot'],
    ['/dashboard',                   308, './dashboard/'],
    ['/dashboard/nope.js',           404, 'application/problem+json'],
    ['/dashboard/..',                404, 'application/problem+json'],
    ['/dashboard/../../etc/passwd?', 308, './passwd/'],
    ['//evil.example',               404, 'application/problem+json'],
    ['/%2e%2e%2fetc%2fpasswd',       404, 'application/problem+json'],
    ['/constructor',                 308, './constructor/'],
    ['/javascript:alert(1)',         404, 'application/problem+json'],
    ['/dashboard/page.css%00',       404, 'application/problem+json'],
    [`/${'x'.repeat(2000)}`,         404, 'application/problem+json'],
  ])('%s answers %i', async (path, status, holds) => {
    const { status: answered, headers, body } = await ask(site.origin, path)
    expect(answered).toBe(status)
    expect([headers.location, headers['content-type'], body].join('\n')).toContain(holds)
  })

  test('allows nothing that is not its own', async () => {
    const { headers } = await ask(site.origin, '/')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('is sent again only when it has changed', async () => {
    const { headers } = await ask(site.origin, '/tokens.css')
    expect(headers['cache-control']).toBe('no-cache')
    const tag = headers.etag ?? ''
    const again = await ask(site.origin, '/tokens.css', { headers: { 'If-None-Match': `"old", W/${tag}` } })
    expect(again).toMatchObject({ status: 304, body: '' })
    const other = await ask(site.origin, '/tokens.css', { headers: { 'If-None-Match': '"old"' } })
    expect(other.status).toBe(200)
  })

  // biome-ignore format: a table
  test.each([
    // method    path        allowed
    ['POST',    '/',          'GET, HEAD'],
    ['PUT',     '/stream',    'GET, HEAD'],
    ['DELETE',  '/login.css', undefined],
    ['GET',     '/block',     'POST'],
    ['HEAD',    '/inspect',   'POST'],
    ['OPTIONS', '/reset',     'POST'],
    ['PATCH',   '/tokens.css', 'GET, HEAD'],
  ])('%s %s is refused', async (method, path, allowed) => {
    const { status, headers } = await ask(site.origin, path, { method })
    expect([status, headers.allow]).toEqual(allowed === undefined ? [404, undefined] : [405, allowed])
  })

  test.each(['/', '/tokens.css', '/stream'])('HEAD %s has the fields and no body', async (path) => {
    const head = await ask(site.origin, path, { method: 'HEAD' })
    const get = await ask(site.origin, path)
    expect(head.body).toBe('')
    const { date: _date, connection: _connection, 'transfer-encoding': _encoding, ...fields } = head.headers
    expect(get.headers).toMatchObject(fields)
  })
})

describe('an act', () => {
  // biome-ignore format: a table
  test.each([
    // why                                  fields                                                             status
    ['by who may not',                      { 'X-Role': 'guest' },                                             403],
    ['from another site',                   { ...asAdmin, 'Sec-Fetch-Site': 'cross-site' },                    403],
    ['from a neighbour of the same domain', { ...asAdmin, 'Sec-Fetch-Site': 'same-site' },                     403],
    ['typed into the address bar',          { ...asAdmin, 'Sec-Fetch-Site': 'none' },                          403],
    ['that is a form',                      { ...asAdmin, 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['that is plain text',                  { ...asAdmin, 'Content-Type': 'text/plain' },                      415],
  ])('%s is refused', async (_why, fields, status) => {
    const id = await shownId()
    expect((await act(site.origin, '/block', { id, seconds: 60 }, fields)).status).toBe(status)
    expect((await limiter.inspect('bob')).default?.blockedMs).toBeNull()
  })

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['no address', 403],
  ])('of an older browser counts by its origin: %s', async (origin, status) => {
    const body = JSON.stringify({ id: await shownId(), seconds: 60 })
    const headers = { 'Content-Type': 'application/json', ...asAdmin }
    const asked = { method: 'POST', body }
    const foreign = await ask(site.origin, '/block', { ...asked, headers: { ...headers, Origin: origin } })
    expect(foreign.status).toBe(status)
    const own = await ask(site.origin, '/block', { ...asked, headers: { ...headers, Origin: site.origin } })
    expect(own.status).toBe(204)
  })

  // biome-ignore format: a table
  test.each([
    // what                             sent                                  status
    ['no id',                           {},                                   400],
    ['a list',                          ['id'],                               400],
    ['nothing',                         null,                                 400],
    ['an id that is a number',          { id: 5, seconds: 60 },               400],
    ['an id that was not handed out',   { id: 'bob', seconds: 60 },           404],
    ['an id of objects',                { id: '__proto__', seconds: 60 },     404],
    ['no time',                         { id: 'shown' },                      400],
    ['no time at all',                  { id: 'shown', seconds: 0 },          400],
    ['a negative time',                 { id: 'shown', seconds: -1 },         400],
    ['a fraction',                      { id: 'shown', seconds: 1.5 },        400],
    ['a text for a time',               { id: 'shown', seconds: '60' },       400],
    ['more than a year',                { id: 'shown', seconds: 31_536_001 }, 400],
  ])('with %s is refused', async (_what, sent, status) => {
    const id = await shownId()
    const value = JSON.parse(JSON.stringify(sent).replace('"shown"', JSON.stringify(id)))
    expect((await act(site.origin, '/block', value, asAdmin)).status).toBe(status)
    expect((await limiter.inspect('bob')).default?.blockedMs).toBeNull()
  })

  test('that is no JSON, or too long, is refused', async () => {
    const headers = { ...asAdmin, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' }
    expect((await ask(site.origin, '/block', { method: 'POST', headers, body: '{' })).status).toBe(400)
    const body = JSON.stringify({ id: 'x'.repeat(5000) })
    expect((await ask(site.origin, '/block', { method: 'POST', headers, body })).status).toBe(413)
  })

  test('blocks, unblocks and resets the key that was shown, and shows each as an event', async () => {
    const id = await shownId()
    const [listener] = listeners
    expect((await act(site.origin, '/block', { id, seconds: 600 }, asAdmin)).status).toBe(204)
    expect((await limiter.check('bob')).reason).toBe('blocked')
    await listener?.until('keys', ({ keys }) => (keys[0]?.blockedMs ?? 0) > 590_000)
    expect((await act(site.origin, '/unblock', { id }, asAdmin)).status).toBe(204)
    expect((await limiter.check('bob')).reason).toBe('limited')
    expect((await act(site.origin, '/reset', { id }, asAdmin)).status).toBe(204)
    expect((await limiter.check('bob')).allowed).toBe(true)
    const shown = await listener?.until('events', ({ events }) => events.length === 3)
    const mark = expect.stringMatching(/^login, bo• #\w{6}(?:, for 10 min)?\.$/)
    expect(shown?.events.map(({ title, text }) => [title, text])).toEqual([
      ['Key reset', mark],
      ['Key unblocked', mark],
      ['Key blocked', mark],
    ])
    const { events } = await listenTo('/stream', asAdmin).until('events')
    expect(events[2]?.text).toBe('login, bob, for 10 min.')
  })

  test('that inspects shows how a key stands', async () => {
    const id = await shownId()
    const { status, body } = await act(site.origin, '/inspect', { id }, asAdmin)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({
      key: 'bob',
      whole: 'bob',
      limiter: 'login',
      policy: '',
      strategy: 'fixed window',
      used: 2,
      limit: 2,
      blockedMs: null,
      entries: [],
    })
  })
})

describe('the stream', () => {
  test('says whether this client may manage', async () => {
    expect(await listenTo().until('hello')).toMatchObject({ mayManage: false, maskKeys: true })
    expect(await listenTo('/stream', asAdmin).until('hello')).toMatchObject({
      mayManage: true,
      maskKeys: false,
    })
  })

  // biome-ignore format: a table
  test.each([
    // span   shown  step
    ['60',      60,   1],
    ['300',    300,   1],
    ['900',    900,   3],
    ['3600',  3600,  12],
    ['7',      300,   1],
    ['1e3',    300,   1],
    ['',       300,   1],
  ])('of span "%s" shows %i s in steps of %i s', async (span, spanSeconds, stepSeconds) => {
    const listener = listenTo(`/stream?span=${span}`)
    expect(await listener.until('hello')).toMatchObject({ spanSeconds, stepSeconds })
    await limiter.check('bob')
    const { rows } = await listener.until('history', (message) => Object.keys(message.rows).length > 0)
    expect(rows['login:default']?.admitted).toHaveLength(spanSeconds / stepSeconds)
  })

  test('comes in order, and then each second', async () => {
    await limiter.check('bob')
    const listener = listenTo()
    await listener.until('second')
    const kinds = listener.all.map(({ event }) => event)
    expect(kinds.slice(0, 6)).toEqual(['hello', 'rows', 'history', 'keys', 'store', 'events'])
  })

  test('goes to a hundred pages and no more, and to others once some have gone', async () => {
    const answers = Array.from({ length: 200 }, () => listenTo())
    const status = async () => (await ask(site.origin, '/stream')).status
    await Promise.all(answers.slice(0, 100).map((listener) => listener.until('hello')))
    expect(await status()).toBe(503)
    expect(answers.filter(({ all }) => all.length > 0)).toHaveLength(100)
    for (const listener of answers) listener.close()
    while ((await status()) === 503) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await status()).toBe(200)
  })

  test('ends when the dashboard is closed, and no other begins', async () => {
    const socket = net.connect(site.port, '127.0.0.1')
    socket.write('GET /stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await once(socket, 'data')
    socket.resume()
    await page.close()
    await once(socket, 'end')
    expect((await ask(site.origin, '/stream')).status).toBe(503)
    socket.destroy()
  })
})
