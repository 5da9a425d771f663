import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createLimiter, fixedWindow, uniform } from '@sluice/core'
import { createGate } from '@sluice/http/internal'
import { type Limits, loadLimits } from '@sluice/limits'
import { memorySink, recorder } from '@sluice/telemetry'
import { type Dashboard, dashboard } from '../src/index.ts'
import type { Found } from '../src/wire.ts'
import { act } from './ask.ts'
import { Listener, listen, type Site } from './site.ts'

const seen = recorder(memorySink())
const policies = { visitor: uniform({ interval: '1m' }), pair: fixedWindow({ limit: 9, window: '1h' }) }
const login = createLimiter({ name: 'login', policies, observers: [seen] })
const gate = createLimiter({
  name: 'gate',
  policy: fixedWindow({ limit: 5, window: '1h' }),
  observers: [seen],
})
let tree: Limits
let page: Dashboard
let site: Site
const roles = { manage: { 'X-Role': 'admin' }, support: { 'X-Role': 'support' } }

beforeEach(async () => {
  const children = { '*': { limits: [15, 30, 60], children: { trade: { limits: [1, 10, 60] } } } }
  tree = await loadLimits({
    name: 'tree',
    tree: { schema: { user: { children } } } as never,
    logger: { warn() {}, error() {} },
    observers: [seen],
  })
  page = dashboard({
    recorder: seen,
    limiters: [login, gate, tree],
    mayManage: ({ headers }) => headers['x-role'] !== undefined,
    maskKeys: ({ headers }) => headers['x-role'] !== 'admin',
    maskSecret: 'a secret of the zoo',
  })
  site = await listen(page)
})
afterEach(async () => {
  await page.close()
  await site.close()
  await tree.close()
  await Promise.all(['bob', '__proto__', 'ann'].map((key) => gate.reset(key)))
})

afterAll(() => Promise.all([login.close(), gate.close(), seen.close()]))

const post = (name: string, body: unknown, headers: Record<string, string> = roles.manage) =>
  act(site.origin, `/${name}`, body, headers)
const inspected = async (body: unknown, headers = roles.manage) =>
  JSON.parse((await post('inspect', body, headers)).body)

describe('a key that is typed in', () => {
  test('is no network where keys are addresses of clients: that would keep nobody out', async () => {
    const gate56 = createLimiter({ name: 'gate56', policy: fixedWindow({ limit: 5, window: '1h' }) })
    createGate({ limiter: gate56, ipv6Prefix: 56 })
    const own = dashboard({ recorder: seen, limiters: [gate56], mayManage: () => true })
    const { origin, close } = await listen(own)
    const post = (name: string, key: string) =>
      act(origin, `/${name}`, { limiter: 'gate56', key, seconds: 60 }, {})
    const network = await post('block', '203.0.113.0/24')
    expect(network.status).toBe(409)
    expect(JSON.parse(network.body).detail).toContain('A list refuses a network')
    expect((await gate56.peek('203.0.113.0/24')).allowed).toBe(true)
    const [address, counted] = ['2001:db8:1:203::7', '2001:db8:1:200::/56']
    expect((await post('block', address)).status).toBe(204)
    expect((await gate56.peek(counted)).reason).toBe('blocked')
    expect(JSON.parse((await post('inspect', address)).body)).toMatchObject({ key: counted, listed: null })
    expect((await post('unblock', address)).status).toBe(204)
    expect((await gate56.peek(counted)).allowed).toBe(true)
    await own.close()
    await close()
    await gate56.close()
  })

  test('is inspected, blocked, unblocked and reset although no page has shown it', async () => {
    const typed = { limiter: 'gate', key: 'bob' }
    expect(await inspected(typed)).toMatchObject({ key: 'bob', whole: 'bob', used: 0, limit: 5, nextInMs: 0 })
    expect((await post('block', { ...typed, seconds: 60 })).status).toBe(204)
    expect((await gate.peek('bob')).reason).toBe('blocked')
    expect((await post('unblock', typed)).status).toBe(204)
    await gate.check('bob')
    expect((await post('reset', typed)).status).toBe(204)
    expect((await inspected(typed)).used).toBe(0)
  })

  test('is of the policy that is named, and may be a list', async () => {
    const typed = { limiter: 'login', policy: 'pair', key: ['bob', '203.0.113.7'] }
    expect((await post('block', { ...typed, seconds: 60 })).status).toBe(204)
    const { visitor, pair } = await login.inspect(['bob', '203.0.113.7'])
    expect([visitor?.blockedMs, pair?.blockedMs]).toEqual([null, expect.closeTo(60_000, -4)])
    expect(await inspected(typed)).toMatchObject({
      key: 'bob / 203.0.113.7',
      whole: typed.key,
      policy: 'pair',
    })
    await post('unblock', typed)
  })

  test('of a tree of limits is a path, of the level that it ends in', async () => {
    const typed = { limiter: 'tree', key: ['user', 'alex', 'trade'] }
    expect((await post('block', { ...typed, seconds: 60 })).status).toBe(204)
    const { 'user/*': user, 'user/*/trade': trade } = await tree.inspect(typed.key)
    expect([user?.blockedMs, trade?.blockedMs]).toEqual([null, expect.closeTo(60_000, -4)])
    expect(await inspected(typed)).toMatchObject({ policy: 'user/*/trade', banned: false })
  })

  test('that is called __proto__ is a key like any other', async () => {
    expect((await post('block', { limiter: 'gate', key: '__proto__', seconds: 60 })).status).toBe(204)
    expect((await gate.peek('__proto__')).reason).toBe('blocked')
    expect((await gate.peek('bob')).allowed).toBe(true)
  })

  // biome-ignore format: a table
  test.each([
    // what                        sent                                                   status  says
    ['no key',                     { limiter: 'gate' },                                   400, 'A key is a string'],
    ['an empty key',               { limiter: 'gate', key: '' },                          400, 'A key is a string'],
    ['an empty list',              { limiter: 'gate', key: [] },                          400, 'A key is a string'],
    ['a list with a number',       { limiter: 'gate', key: ['bob', 7] },                  400, 'A key is a string'],
    ['a list of lists',            { limiter: 'gate', key: [['bob']] },                   400, 'A key is a string'],
    ['a list of many',             { limiter: 'gate', key: Array(33).fill('a') },         400, 'A key is a string'],
    ['an object',                  { limiter: 'gate', key: { length: 1, 0: 'bob' } },     400, 'A key is a string'],
    ['a limiter that is a list',   { limiter: ['gate'], key: 'bob' },                     400, 'names of a limiter'],
    ['no limiter',                 { key: 'bob' },                                        400, 'names of a limiter'],
    ['another limiter',            { limiter: 'gat', key: 'bob' },                        404, 'limiter was not given'],
    ['a limiter of objects',       { limiter: '__proto__', key: 'bob' },                  404, 'limiter was not given'],
    ['another policy',             { limiter: 'login', policy: 'pairs', key: 'bob' },     404, 'no policy of this name'],
    ['no policy where it needs one', { limiter: 'login', key: 'bob' },                    404, 'no policy of this name'],
    ['a policy of objects',        { limiter: 'login', policy: '__proto__', key: 'bob' }, 404, 'no policy of this name'],
    ['a policy that is a number',  { limiter: 'login', policy: 1, key: 'bob' },           400, 'names of a limiter'],
    ['a string for a path',          { limiter: 'tree', key: 'user/alex' },                 400, 'is a path'],
    ['a path without limits',      { limiter: 'tree', key: ['nobody'] },                  404, 'No policy matches this key.'],
  ])('with %s is refused, and blocks nobody', async (_what, sent, status, says) => {
    const { status: answered, body } = await post('block', { seconds: 60, ...sent })
    expect([answered, JSON.parse(body).detail]).toEqual([status, expect.stringContaining(says)])
    expect((await gate.peek('bob')).allowed).toBe(true)
  })

  test('that is huge is refused before it is read to its end', async () => {
    expect((await post('block', { limiter: 'gate', key: 'x'.repeat(5000), seconds: 60 })).status).toBe(413)
    expect((await post('inspect', { limiter: 'gate', key: 'x'.repeat(3000) })).status).toBe(200)
  })

  test('is refused from another site, and of whoever may only look', async () => {
    const typed = { limiter: 'gate', key: 'bob', seconds: 60 }
    const foreign = { ...roles.manage, 'Sec-Fetch-Site': 'cross-site' }
    for (const headers of [foreign, {}] as const) {
      for (const name of ['block', 'inspect', 'find'])
        expect((await post(name, typed, headers)).status).toBe(403)
    }
    expect((await gate.peek('bob')).allowed).toBe(true)
  })
})

describe('a search', () => {
  const find = async (text: string, headers: Record<string, string> = roles.manage): Promise<Found> =>
    JSON.parse((await post('find', { text }, headers)).body)

  test('finds among all known keys, not only among the twenty that are shown', async () => {
    for (let i = 0; i < 30; i++) await gate.check(`client-${i}`, { cost: 5 })
    await gate.check('Ann@zoo', { cost: 4 })
    expect((await find('ann@')).keys.map(({ key }) => key)).toEqual(['Ann@zoo'])
    const { keys } = await find('client-29')
    expect(keys.map(({ key, used }) => [key, used])).toEqual([['client-29', 5]])
    expect((await inspected({ id: keys[0]?.id })).key).toBe('client-29')
    expect((await find('nobody')).keys).toEqual([])
  })

  test('says whose keys can be typed in', async () => {
    expect((await find('')).limiters).toEqual([
      { name: 'login', policies: ['visitor', 'pair'] },
      { name: 'gate', policies: [''] },
      { name: 'tree', policies: null },
    ])
  })

  test('shows a masked viewer no more than the mask does, and finds by the mark', async () => {
    for (let i = 0; i < 30; i++) await gate.check(`client-${i}`, { cost: 5 })
    expect((await find('client-29', roles.support)).keys).toEqual([])
    const { keys } = await find('clie', roles.support)
    const marks = new Set(keys.map(({ key }) => key))
    expect(marks.size).toBe(20)
    const [first = ''] = marks
    expect(first).toMatch(/^clie\w{0,2}•+ #\w{6}$/)
    expect((await find(first.split(' ')[1] ?? '', roles.support)).keys.map(({ key }) => key)).toEqual([first])
  })

  test.each([{ text: 5 }, { text: null }, { span: '300' }, 'bob', []])('for %j is refused', async (sent) => {
    expect((await post('find', sent)).status).toBe(400)
  })
})

test('each viewer sees keys and events as the program says, and marks are those of the secret', async () => {
  await gate.check('alexander', { cost: 5 })
  await post('block', { limiter: 'gate', key: 'alexander', seconds: 60 })
  const shown: string[] = []
  for (const headers of [roles.manage, roles.support, {}]) {
    const listener = new Listener(`${site.origin}/stream`, headers)
    const { keys } = await listener.until('keys', (message) =>
      message.keys.some(({ key }) => key.startsWith('alex')),
    )
    const { events } = await listener.until('events', (message) => message.events.length > 0)
    shown.push(keys.find(({ key }) => key.startsWith('alex'))?.key ?? '', events[0]?.text ?? '')
    listener.close()
  }
  const masked = ['alexa•••• #mark', 'gate, alexa•••• #mark, for 1 min.']
  const unmarked = shown.map((text) => text.replace(/#\w{6}/, '#mark'))
  expect(unmarked).toEqual(['alexander', 'gate, alexander, for 1 min.', ...masked, ...masked])
  expect(new Set(shown.join(' ').match(/#\w{6}/g)).size).toBe(1)
})
