import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { killPrograms, until } from './program.ts'
import { bodyOf, buy, frameworks, type Listing, look, type RunningZoo, startZoo } from './zoo.ts'

const labels = { express: 'Express 5', fastify: 'Fastify 5', koa: 'Koa 3' }

describe.each(frameworks)('the zoo on %s', (framework) => {
  let zoo: RunningZoo
  beforeAll(async () => {
    zoo = await startZoo('--framework', framework)
  })
  afterAll(killPrograms)

  test('says where it is, on what it runs and how to buy a ticket', () => {
    const { stdout, stderr } = zoo.program
    expect(stdout).toBe(
      `Zoo tickets on ${labels[framework]}, counted in memory\n` +
        `  what waits in a queue is forgotten when the zoo ends\n  ${zoo.url}\n` +
        `  ${zoo.url}/dashboard/ shows what the limits do\n` +
        `  curl -i -X POST ${zoo.url}/attractions/tiger/tickets -H 'X-Visitor: bob'\n`,
    )
    expect(stderr).toBe('')
  })

  test('shows its attractions, and takes nothing', async () => {
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(`${zoo.url}/attractions?visitor=bob`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false)
      const { server, attractions } = await bodyOf<Listing>(answer)
      expect(server).toEqual({ framework: labels[framework], store: 'memory' })
      const free = { againInMs: null, allFreeInMs: 0 }
      expect(attractions[0]).toEqual({
        id: 'tiger',
        name: 'Tiger feeding',
        strategy: 'log + gate per visitor',
        rule: '100 in any 10 s, one per visitor every 10 s',
        inWindow: null,
        chart: {
          limiter: 'tiger',
          policy: 'attraction',
          gates: '',
          limit: 100,
          shade: 'sliding',
          windowSeconds: 10,
          windowsSeconds: [],
        },
        limit: 100,
        left: 100,
        ...free,
        visitor: { mayBuy: true, againInMs: null },
      })
      const rows = attractions.map(({ id, limit, left, visitor }) => [id, limit, left, visitor])
      // biome-ignore format: a table
      expect(rows.slice(1)).toEqual([
        // id         limit left visitor
        ['penguin',   100,  100, null],
        ['owl',       100,  100, null],
        ['giraffe',    21,   21, null],
        ['seal',       50,   50, null],
        ['otter',      30,   30, null],
        ['elephant',   20,   20, null],
        ['lemur',      30,   30, null],
        ['aquarium',   12,   12, null],
        ['flamingo',   60,   60, null],
        ['sloth',      10,   10, null],
        ['parrot',     25,   25, null],
        ['hippo',     7.5,  7.5, null],
        ['turtle',    500,  500, null],
        ['meerkat',    20,   20, null],
      ])
    }
  })

  test('knows no visitor where none is named', async () => {
    const answer = await fetch(`${zoo.url}/attractions`)
    const { attractions } = await bodyOf<Listing>(answer)
    expect(attractions[0]?.visitor).toBeNull()
  })

  test('sells tickets', async () => {
    const first = await buy(zoo, 'penguin', { visitor: ' bob ', quantity: 3 })
    expect(first.status).toBe(201)
    expect(first.headers.get('location')).toBe('/attractions/penguin/tickets/P-0001')
    expect(first.headers.get('content-type')).toBe('application/json')
    expect(first.headers.get('x-ratelimit-limit')).toBe('100')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('97')
    expect(first.headers.get('x-ratelimit-reset')).toBe('10')
    expect(await first.json()).toEqual({
      ticket: 'P-0001',
      attraction: 'penguin',
      visitor: 'bob',
      quantity: 3,
    })

    const headers = { 'X-Visitor': Buffer.from('Zoë').toString('latin1') }
    const second = await fetch(`${zoo.url}/attractions/penguin/tickets`, { method: 'POST', headers })
    expect(await second.json()).toEqual({
      ticket: 'P-0002',
      attraction: 'penguin',
      visitor: 'Zoë',
      quantity: 1,
    })
    expect(await look(zoo, 'penguin')).toMatchObject({ left: 96, againInMs: null })
  })

  test('keeps a place in the tunnel for as long as its visit, and sells no more than twelve', async () => {
    const first = await buy(zoo, 'aquarium', { visitor: 'bob', quantity: 10 })
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([201, '2'])
    expect(first.headers.get('location')).toBe('/attractions/aquarium/tickets/A-0001')
    expect(await look(zoo, 'aquarium')).toMatchObject({ left: 2, visitMs: 1000 })
    const refused = await buy(zoo, 'aquarium', { visitor: 'ann', quantity: 3 })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json'])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await bodyOf(refused)).toMatchObject({ 'violated-policies': ['aquarium'], reason: 'limited' })
    await until('free tunnel', async () => (await look(zoo, 'aquarium')).left === 12)
  })

  test('gives the animals of one letter different tickets', async () => {
    const tickets = await Promise.all(
      ['owl', 'otter', 'owl'].map(async (animal) => bodyOf(await buy(zoo, animal, { visitor: 'bob' }))),
    )
    expect(tickets.map(({ ticket }) => ticket).sort()).toEqual(['O-0001', 'O-0002', 'O-0003'])
  })

  test('refuses when it is sold out, and says until when', async () => {
    for (let i = 0; i < 3; i++)
      expect((await buy(zoo, 'lemur', { visitor: 'bob', quantity: 10 })).status).toBe(201)
    const answer = await buy(zoo, 'lemur', { visitor: 'ann' })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('x-ratelimit-limit')).toBe('30')
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0')
    const retryAfter = Number(answer.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(0)
    expect(answer.headers.get('x-ratelimit-reset')).toBe(String(retryAfter))
    expect(await answer.json()).toMatchObject({
      status: 429,
      'violated-policies': ['lemur'],
      reason: 'limited',
      retryAfter,
    })
    const { left, againInMs } = await look(zoo, 'lemur')
    expect(left).toBe(0)
    expect(againInMs).toBeGreaterThan(0)
    expect(Math.ceil(Number(againInMs) / 1000)).toBeLessThanOrEqual(retryAfter)
  })

  test('lets a visitor to the tigers once in ten seconds, and a hundred people in all', async () => {
    const bob = await buy(zoo, 'tiger', { visitor: 'bob' })
    expect(bob.status).toBe(201)
    expect(bob.headers.get('x-ratelimit-limit')).toBe('1')
    const again = await buy(zoo, 'tiger', { visitor: 'bob', quantity: 2 })
    expect(again.status).toBe(429)
    const { retryAfter, ...problem } = await bodyOf<{ readonly retryAfter: number }>(again)
    expect(problem).toMatchObject({ 'violated-policies': ['tiger.visitor'] })
    // A busy machine may take seconds between the two.
    expect(retryAfter).toBeLessThanOrEqual(10)
    expect(retryAfter).toBeGreaterThan(0)
    // The gate has refused bob, so that the attraction counts no more than his first ticket.
    expect(await look(zoo, 'tiger', 'bob')).toMatchObject({ left: 99, visitor: { mayBuy: false } })

    for (let i = 0; i < 9; i++) await buy(zoo, 'tiger', { visitor: `visitor ${i}`, quantity: 10 })
    const tooMany = await buy(zoo, 'tiger', { visitor: 'ann', quantity: 10 })
    expect(tooMany.status).toBe(429)
    expect(await tooMany.json()).toMatchObject({ 'violated-policies': ['tiger.attraction'] })
    // The attraction has refused ann, so that her gate is open still.
    expect(await look(zoo, 'tiger', 'ann')).toMatchObject({
      left: 9,
      visitor: { mayBuy: true, againInMs: null },
    })
    expect((await buy(zoo, 'tiger', { visitor: 'ann', quantity: 9 })).status).toBe(201)
  })

  test('sells all flamingos to a visitor who is alone, and says to the next one when there is a share', async () => {
    for (let i = 0; i < 6; i++) await buy(zoo, 'flamingo', { visitor: 'bob', quantity: 10 })
    const refused = await buy(zoo, 'flamingo', { visitor: 'ann', quantity: 10 })
    expect([refused.status, await bodyOf(refused)]).toMatchObject([
      429,
      { 'violated-policies': ['flamingo'] },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10)
  })

  test('lets an order at the sloths wait for its turn, and refuses one that would wait too long', async () => {
    const orders = Array.from({ length: 4 }, () => buy(zoo, 'sloth', { visitor: 'bob', quantity: 10 }))
    const statuses = (await Promise.all(orders)).map(({ status }) => status)
    // At once, after one second, after two; the fourth would wait three.
    expect(statuses.sort()).toEqual([201, 201, 201, 429])
  })

  test('gives an order of parrots the tickets that are left', async () => {
    for (let i = 0; i < 2; i++) await buy(zoo, 'parrot', { visitor: 'bob', quantity: 9 })
    const part = await buy(zoo, 'parrot', { visitor: 'bob', quantity: 10 })
    expect([part.status, await bodyOf(part)]).toMatchObject([201, { quantity: 7 }])
    expect((await buy(zoo, 'parrot', { visitor: 'bob', quantity: 10 })).status).toBe(429)
  })

  test('sells the hippos by the quarter of a kilogram', async () => {
    const first = await buy(zoo, 'hippo', { visitor: 'bob', quantity: 9 })
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([201, '5'])
    expect(await bodyOf(first)).toMatchObject({ quantity: 9 })
    expect(await look(zoo, 'hippo')).toMatchObject({ limit: 7.5, left: 5.25 })
  })

  test('begins the day of the turtles at nine in Vienna', async () => {
    await buy(zoo, 'turtle', { visitor: 'bob' })
    const { allFreeInMs } = await look(zoo, 'turtle')
    const end = new Date(Date.now() + Number(allFreeInMs))
    const shown = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Vienna', timeStyle: 'short' })
    expect(['08:59', '09:00']).toContain(shown.format(end)) // the answer was under way for a moment
  })

  const name = 'a'.repeat(41)
  // biome-ignore format: a table
  test.each([
    // what                          method    path                          body                             status allow
    ['an unknown attraction',        'POST',   '/attractions/dodo/tickets',  '{"visitor":"bob"}',             404, null],
    ['an unknown ticket',            'GET',    '/attractions/seal/tickets/S-0001', undefined,                404, null],
    ['the address of another case',  'POST',   '/attractions/SEAL/tickets',  '{"visitor":"bob"}',             404, null],
    ['a slash too many',             'POST',   '/attractions/seal/tickets/', '{"visitor":"bob"}',             404, null],
    ['a broken escape',              'POST',   '/attractions/%E0%A4/tickets', '{"visitor":"bob"}',            404, null],
    ['no JSON',                      'POST',   '/attractions/seal/tickets',  '{"visitor":',                   400, null],
    ['no object',                    'POST',   '/attractions/seal/tickets',  '["bob"]',                       400, null],
    ['null',                         'POST',   '/attractions/seal/tickets',  'null',                          400, null],
    ['no body and no visitor',       'POST',   '/attractions/seal/tickets',  undefined,                       400, null],
    ['no visitor',                   'POST',   '/attractions/seal/tickets',  '{"quantity":1}',                400, null],
    ['a visitor without a name',     'POST',   '/attractions/seal/tickets',  '{"visitor":"  "}',              400, null],
    ['a visitor who is a number',    'POST',   '/attractions/seal/tickets',  '{"visitor":7}',                 400, null],
    ['a name of 41 characters',      'POST',   '/attractions/seal/tickets',  `{"visitor":"${name}"}`,         400, null],
    ['quantity 0',                   'POST',   '/attractions/seal/tickets',  '{"visitor":"b","quantity":0}',  400, null],
    ['quantity 11',                  'POST',   '/attractions/seal/tickets',  '{"visitor":"b","quantity":11}', 400, null],
    ['quantity 1.5',                 'POST',   '/attractions/seal/tickets',  '{"visitor":"b","quantity":1.5}', 400, null],
    ['quantity "1"',                 'POST',   '/attractions/seal/tickets',  '{"visitor":"b","quantity":"1"}', 400, null],
    ['quantity null',                'POST',   '/attractions/seal/tickets',  '{"visitor":"b","quantity":null}', 400, null],
    ['too long a body',              'POST',   '/attractions/seal/tickets',  `{"visitor":"${'a'.repeat(20_000)}"}`, 413, null],
    ['a look with too long a name',  'GET',    `/attractions?visitor=${name}`, undefined,                     400, null],
    ['tickets that are read',        'GET',    '/attractions/seal/tickets',  undefined,                       405, 'POST'],
    ['tickets that are removed',     'DELETE', '/attractions/seal/tickets',  undefined,                       405, 'POST'],
    ['tickets that are changed',     'PATCH',  '/attractions/seal/tickets',  '{"visitor":"bob"}',             405, 'POST'],
    ['tickets that are asked about', 'OPTIONS', '/attractions/seal/tickets', undefined,                       405, 'POST'],
    ['attractions that are bought',  'POST',   '/attractions',               '{"visitor":"bob"}',             405, 'GET, HEAD'],
    ['a page that is written',       'PUT',    '/',                          'hello',                         405, 'GET, HEAD'],
    ['a method nobody knows',        'PROPFIND', '/zoo.css',                 undefined,                       405, 'GET, HEAD'],
  ])('turns away %s', async (_what, method, path, body, status, allow) => {
    const answer = await fetch(zoo.url + path, { method, body: body ?? null })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('allow')).toBe(allow)
    const { detail, ...problem } = await bodyOf(answer)
    const titles: { readonly [status: number]: string } =
      { 400: 'Bad Request', 404: 'Not Found', 405: 'Method Not Allowed', 413: 'Payload Too Large' }
    expect(problem).toEqual({ type: 'about:blank', title: titles[status], status })
    expect(detail).toMatch(/^\w.+\.$/)
    expect(await look(zoo, 'seal')).toMatchObject({ left: 50 })
  })
})
