import { describe, expect, it } from '@jest/globals'
import { Redis } from 'ioredis'
import { createClient, createClientPool, createSentinel } from 'redis'
import { redisStore } from '../../src/index.ts'

/** As JavaScript may call it. */
function storeOf(redis: unknown): unknown {
  return redisStore(redis as string)
}

const client =
  'a redis:// URL, { url }, { url, token }, { cluster: ["host:port"] }, { sentinels: ["host:port"], master }, or a client of ioredis 5 or 6 or node-redis 5 or 6, or of Valkey GLIDE 2'
const names =
  'a known option (one of url, cluster, sentinels, master, username, password, tls), or a client of ioredis with its own options'
const aUrl =
  "a known option; write store: redisStore('redis://localhost'), or redisStore(client), see https://github.com/sluicejs/sluice/blob/main/docs/api.md#redisstore-redisstoreoptions"
const tls = 'an object of options for tls.connect()'
const password = 'a string or a function that returns one'
const sentinels = 'a list of servers such as ["localhost:26379"]'
const master = 'the name of a master such as "mymaster"'
const one = 'only one of url, cluster and sentinels'
const escaped = 'a URL such as redis://localhost:6379, with %23 %2F %3F %25 for # / ? % in a password'
const database = 'the number of a database behind the server, as in redis://localhost:6379/2'
const node = 'a text such as "localhost:7000", without a name or a password'
const sentinel = 'a text such as "localhost:26379", without a name or a password'

describe('a store on what is no Redis client', () => {
  // biome-ignore format: a table
  it.each([
    // what                              path                 expected                                                  got
    [undefined,                          'redis',             client,                                                   'undefined'],
    [6379,                               'redis',             client,                                                   '6379 (number)'],
    [new Map(),                          'redis',             client,                                                   'an object (Map)'],
    ['localhost:6379',                   'redis',             'a URL such as redis://localhost:6379',                   '"…" (string)'],
    ['',                                 'redis',             'a URL such as redis://localhost:6379',                   '"" (string)'],
    [{},                                 'redis.url',         'a URL such as redis://localhost:6379',                   'undefined'],
    [{ url: Object.create(null) },       'redis.url',         'a URL such as redis://localhost:6379',                   'an object'],
    [{ url: ['redis://localhost'] },     'redis.url',         'a URL such as redis://localhost:6379',                   'a list of 1'],
    [{ url: 'ftp://localhost' },         'redis.url',         'a URL such as redis://localhost:6379',                   '"…" (string)'],
    ['redis://bob:100%@localhost',       'redis',             escaped,                                                  '"…" (string)'],
    ['redis://bob:a#b@localhost:6379',   'redis',             escaped,                                                  '"…" (string)'],
    ['redis://bob:12#34@localhost:6379', 'redis',             escaped,                                                  '"…" (string)'],
    ['redis://bob:12?34@localhost:6379', 'redis',             escaped,                                                  '"…" (string)'],
    ['redis://bob:12/34@localhost:6379', 'redis',             escaped,                                                  '"…" (string)'],
    [{ url: 'rediss://localhost/2#3' },  'redis.url',         escaped,                                                  '"…" (string)'],
    ['redis://localhost/zoo',            'redis',             database,                                                 '"…" (string)'],
    [{ url: 'redis://localhost/1/2' },   'redis.url',         database,                                                 '"…" (string)'],
    [{ url: 'redis://localhost?db=zoo' }, 'redis.url',        database,                                                 '"…" (string)'],
    [{ host: 'localhost' },              'redis.host',        aUrl,                                                     '"host" (string)'],
    [{ path: '/run/redis.sock' },        'redis.path',        names,                                                    '"path" (string)'],
    [{ cluster: [] },                    'redis.cluster',     'a list of servers such as ["localhost:7000"]',           'a list of 0'],
    [{ cluster: 'localhost:7000' },      'redis.cluster',     'a list of servers such as ["localhost:7000"]',           '"localhost:7000" (string)'],
    [{ cluster: ['a:1', 'localhost'] },  'redis.cluster[1]',  node,                                                     '"…" (string)'],
    [{ cluster: ['rediss://a:1'] },      'redis.cluster[0]',  node,                                                     '"…" (string)'],
    [{ cluster: ['bob:secret@a:1'] },    'redis.cluster[0]',  node,                                                     '"…" (string)'],
    [{ cluster: [7000] },                'redis.cluster[0]',  node,                                                     '7000 (number)'],
    [{ cluster: ['a:1'], url: 'redis://a' }, 'redis.cluster', one,                                                      'a list of 1'],
    [{ sentinels: ['a:1'], master: 'm', url: 'redis://a' }, 'redis.sentinels', one,                                     'a list of 1'],
    [{ sentinels: [], master: 'm' },     'redis.sentinels',   sentinels,                                                'a list of 0'],
    [{ sentinels: 'a:1', master: 'm' },  'redis.sentinels',   sentinels,                                                '"a:1" (string)'],
    [{ sentinels: ['a'], master: 'm' },  'redis.sentinels[0]', sentinel,                                                '"…" (string)'],
    [{ sentinels: ['a:1', 2], master: 'm' }, 'redis.sentinels[1]', sentinel,                                            '2 (number)'],
    [{ sentinels: [{ host: 'a', port: 1 }], master: 'm' }, 'redis.sentinels[0]', sentinel,                              'an object'],
    [{ sentinels: ['a:1'], name: 'm' },  'redis.name',        "a known option; write master: 'mymaster'",                '"name" (string)'],
    [{ sentinels: ['a:1'], master: 'm', sentinelPassword: 's' }, 'redis.sentinelPassword', names,                       '"sentinelPassword" (string)'],
    [{ sentinels: ['a:1'] },             'redis.master',      master,                                                   'undefined'],
    [{ sentinels: ['a:1'], master: '' }, 'redis.master',      master,                                                   '"" (string)'],
    [{ url: 'redis://a', master: 'm' },  'redis.master',      'nothing without sentinels',                              '"m" (string)'],
    [{ url: 'redis://a', username: 7 },  'redis.username',    'a string',                                                 '7 (number)'],
    [{ url: 'redis://a', password: 7 },  'redis.password',    password,                                                 '7 (number)'],
    [{ url: 'redis://a', tls: true },    'redis.tls',         tls,                                                      'true (boolean)'],
    [{ url: 'redis://a', tls: null },    'redis.tls',         tls,                                                      'null'],
    [{ url: 'redis://a', tls: [] },      'redis.tls',         tls,                                                      'a list of 0'],
  ])('%j is an error that names %s', (redis, path, expected, got) => {
    expect(() => storeOf(redis)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path, message: `${path}: expected ${expected}, got ${got}` }),
    )
  })

  /** A client as version 4 had it, beside other things. */
  const version4 = () => ({
    isOpen: true,
    isReady: true,
    select() {},
    evalSha() {},
    eval() {},
    sendCommand() {},
    on() {},
    off() {},
  })
  const mock = () => ({ status: 'ready', evalsha() {}, on() {} })
  const ioredis = new Redis({ lazyConnect: true })

  // biome-ignore format: a table
  it.each<[string, () => unknown]>([
    // got                                                                 made
    ['a pool of node-redis (one client will do: calls go together)',       () => createClientPool()],
    ['a client of node-redis for Sentinel (give { sentinels, master })',   () => createSentinel({ name: 'm', sentinelRootNodes: [{ host: 'a', port: 1 }] })],
    ['a multi of node-redis',                                              () => createClient().multi()],
    ['a client of node-redis 4, or one for its old interface',             version4],
    ['a client of node-redis 4, or one for its old interface',             () => createClient().legacy()],
    ['a client of node-redis 3',                                           () => ({ connected: true, evalsha() {}, on() {} })],
    ['ioredis-mock (a test without Redis counts in memory: leave store out)', () => ({ connected: true, keyData: new Map(), evalsha() {}, call() {}, on() {} })],
    ['a pipeline of ioredis',                                              () => ioredis.pipeline()],
    ['a pipeline of ioredis',                                              () => ioredis.multi()],
    ['a client of @upstash/redis (give { url, token })',                   () => ({ evalsha() {}, eval() {}, createScript() {} })],
    ['a client of Valkey GLIDE for a cluster',                             () => ({ customCommand() {}, invokeScript() {}, invokeScriptWithRoute() {} })],
    ['a promise (await it first)',                                         () => Promise.resolve(ioredis)],
    ['an object with evalsha that lacks eval, call, connect, off',         mock],
    ['an object with evalSha that lacks eval, sendCommand, on, off',       () => ({ isOpen: true, evalSha() {}, withTypeMapping() {} })],
    ['a function (Redis)',                                                 () => Redis],
  ])('is told that it is %s', (got, made) => {
    expect(() => storeOf(made())).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'redis', message: `redis: expected ${client}, got ${got}` }),
    )
  })
})

describe('a node-redis client', () => {
  it('has one store, whose options are the same each time', () => {
    const client = createClient()
    const store = redisStore(client, { prefix: 'a:' })
    expect(redisStore(client, { prefix: 'a:' })).toBe(store)
    expect(() => redisStore(client)).toThrow(expect.objectContaining({ path: 'options' }))
  })
})
