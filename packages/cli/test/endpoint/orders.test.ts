import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { loadTestEndpoint } from '../../src/endpoint/index.ts'
import { orderOf } from '../../src/endpoint/order.ts'
import { Site } from './site.ts'

const log = { strategy: 'slidingWindowLog', limit: 2, window: '10s' }
const five = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, log]))

describe('an order that makes no sense', () => {
  let site: Site
  beforeAll(async () => {
    site = await new Site().listen()
  })
  afterAll(() => site.close())

  // biome-ignore format: a table
  it.each([
    // body                                                              path, and how its sentence begins
    [{ policies: { log } },                                              'title', 'expected a title of 1 to 60'],
    [{ title: ' ', policies: { log } },                                  'title', 'expected a title'],
    [{ title: 7, policies: { log } },                                    'title', 'expected a title'],
    [{ title: 'a'.repeat(61), policies: { log } },                       'title', 'expected a title'],
    [{ title: 'two\nlines', policies: { log } },                         'title', 'expected a title'],
    [{ title: '\u202e', policies: { log } },                             'title', 'expected a title'],
    [{ title: 't', policies: { log }, second: 1 },                       'second', 'expected a known option (did you mean "seconds"?)'],
    [{ title: 't' },                                                     'policies', 'expected 1 to 4 policies by name, got undefined'],
    [{ title: 't', policies: [log] },                                    'policies', 'expected 1 to 4 policies by name, got a list of 1'],
    [{ title: 't', policies: {} },                                       'policies', 'expected 1 to 4 policies'],
    [{ title: 't', policies: five },                                     'policies', 'expected 1 to 4 policies'],
    [{ title: 't', policies: { '': log } },                              'policies', 'expected names of'],
    [{ title: 't', policies: { ['a'.repeat(41)]: log } },                'policies', 'expected names of'],
    [{ title: 't', policies: { 'ä': log } },                             'policies', 'expected names of'],
    ['{"title":"t","policies":{"__proto__":{"strategy":"gcra"}}}',       'policies', 'expected names of'],
    [{ title: 't', policies: { log: 'gcra' } },                          'policies.log', 'expected a policy such as'],
    [{ title: 't', policies: { log: null } },                            'policies.log', 'expected a policy such as'],
    [{ title: 't', policies: { log: {} } },                              'policies.log.strategy', 'expected one of attributedWindow'],
    [{ title: 't', policies: { log: { strategy: 'grca' } } },            'policies.log.strategy', 'expected one of'],
    [{ title: 't', policies: { log: { strategy: 'constructor' } } },     'policies.log.strategy', 'expected one of'],
    [{ title: 't', policies: { log: { ...log, limit: -1 } } },           'policies.log.limit', 'expected a whole number'],
    [{ title: 't', policies: { log: { ...log, limit: '2' } } },          'policies.log.limit', 'expected a whole number'],
    [{ title: 't', policies: { log: { ...log, limt: 2 } } },             'policies.log.limt', 'expected a known option'],
    [{ title: 't', policies: { log: { ...log, window: 'ten' } } },       'policies.log.window', 'expected a positive duration'],
    [{ title: 't', policies: { log: { ...log, shadow: 'yes' } } },       'policies.log.shadow', 'expected true or false'],
    [{ title: 't', policies: { log: { ...log, key: 'all' } } },          'policies.log.key', 'expected "visitor" or "everybody"'],
    [{ title: 't', policies: { log }, seconds: 0 },                      'seconds', 'expected a whole number from 1 to 600'],
    [{ title: 't', policies: { log }, seconds: 601 },                    'seconds', 'expected a whole number from 1 to 600'],
    [{ title: 't', policies: { log }, seconds: '5' },                    'seconds', 'expected a whole number from 1 to 600'],
    [{ title: 't', policies: { log }, visitMs: 10_001 },                 'visitMs', 'expected a whole number from 0 to 10000'],
  ])('%j is answered with %s: %s', async (body, path, sentence) => {
    const answer = await site.ask('POST', '/crowd', { body })
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'application/problem+json'])
    expect(answer.body).toMatchObject({ type: 'about:blank', title: 'Bad Request', status: 400, path })
    expect(answer.body.detail).toContain(`${path}: ${sentence}`)
    expect((await site.ask('GET', '/crowd')).body).toEqual({ open: null })
  })

  // biome-ignore format: a table
  it.each([
    // what              body                          status detail
    ['no JSON',          '{"title":',                  400, 'The body is not valid JSON.'],
    ['nothing',          '',                           400, 'The body is not valid JSON.'],
    ['a list',           '[]',                         400, 'The body must be a JSON object such as {"title":"log","policies":{…}}.'],
    ['null',             'null',                       400, 'The body must be a JSON object such as {"title":"log","policies":{…}}.'],
    ['too much',         `"${'a'.repeat(200_000)}"`,   413, 'The body may have at most 10000 bytes.'],
  ])('%s is turned away', async (_what, body, status, detail) => {
    const answer = await site.ask('POST', '/crowd', { body })
    expect([answer.status, answer.body.detail]).toEqual([status, detail])
  })

  it('are reported where a parser has read the body before', async () => {
    const crowd = loadTestEndpoint()
    const server = createServer(async (req, res) => {
      await buffer(req)
      const { status, body } = await crowd.answer(req)
      res.writeHead(status).end(body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const answer = await fetch(`http://127.0.0.1:${port}/crowd`, { method: 'POST', body: '{}' })
    const detail = 'The body has already been read: no body parser may come before the endpoint.'
    expect(await answer.json()).toMatchObject({ status: 400, detail })
    server.close()
    await crowd.close()
  })

  // biome-ignore format: a table
  it.each([
    // method    path              status allow
    ['PUT',      '/crowd',         405, 'GET, HEAD, POST'],
    ['DELETE',   '/crowd',         405, 'GET, HEAD, POST'],
    ['GET',      '/crowd/0000',    405, 'DELETE'],
    ['DELETE',   '/crowd/0000',    404, undefined],
  ])('%s %s is answered with %i', async (method, path, status, allow) => {
    const answer = await site.ask(method, path)
    expect([answer.status, answer.headers.allow]).toEqual([status, allow])
  })

  it.each([undefined, '', ' ', 'a'.repeat(61)])('a visitor called %j does not enter', async (name) => {
    const { body } = await site.open({ title: 'log', policies: { log } })
    const headers = name === undefined ? {} : { 'X-Visitor': name }
    const answer = await site.ask('POST', String(body.tickets), { headers })
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      'X-Visitor: expected a name of 1 to 60 characters.',
    ])
    await site.ask('DELETE', `/crowd/${body.run}`)
  })
})

describe('any JSON', () => {
  const orders = fc.record(
    { title: fc.jsonValue(), policies: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })) },
    { requiredKeys: [] },
  )

  it('is an order or a problem of the client', () => {
    const property = fc.property(fc.oneof(fc.object(), orders), (body) => {
      try {
        orderOf(body as { readonly [name: string]: unknown }) // any object
      } catch (thrown) {
        expect(thrown).toMatchObject({ status: 400, more: { path: expect.any(String) } })
      }
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

describe('options of loadTestEndpoint', () => {
  it.each([
    [{ bas: '/crowd' }, 'bas: expected a known option (did you mean "base"?)'],
    [{ base: 'crowd' }, 'base: expected a path such as "/crowd", got "crowd" (string)'],
    [{ base: '/crowd/' }, 'base: expected a path such as "/crowd"'],
    [{ base: 7 }, 'base: expected a path such as "/crowd", got 7 (number)'],
    [{ clock: Date }, 'clock: expected an object with nowUs(), got a function (Date)'],
    [{ store: {} }, 'store: expected a store such as memoryStore() or redisStore(…), got an object'],
    [{ observers: [1] }, 'observers[0]: expected an object with one of decided, '],
    [{ logger: {} }, 'logger: expected an object with warn() and error(), got an object'],
  ])('%j are refused', (options, message) => {
    expect(() => loadTestEndpoint(options as never)).toThrow(message) // nonsense has no type
  })
})
