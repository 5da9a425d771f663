import { describe, expect, it } from '@jest/globals'
import { createClient, createClientPool, createSentinel } from 'redis'
import { redisStore } from '../../src/index.ts'

/** As JavaScript may call it. */
function storeOf(redis: unknown): unknown {
  return redisStore(redis as string)
}

const client = 'a redis:// URL, { url }, { cluster: ["host:port"] }, or a client of ioredis or node-redis'
const node = 'host:port, without a name or a password'

describe('a store on what is no Redis client', () => {
  // biome-ignore format: a table
  it.each([
    // what                              path                 expected                                                  got
    [undefined,                          'redis',             client,                                                   'undefined'],
    [6379,                               'redis',             client,                                                   '6379 (number)'],
    [new Map(),                          'redis',             client,                                                   'an object (Map)'],
    ['localhost:6379',                   'redis',             'a URL such as redis://localhost:6379',                   '"…" (string)'],
    [{},                                 'redis.url',         'a URL such as redis://localhost:6379',                   'undefined'],
    [{ url: 'http://localhost' },        'redis.url',         'a URL such as redis://localhost:6379',                   '"…" (string)'],
    [{ host: 'localhost' },              'redis.host',        'no such option (did you mean one of url, cluster, username, password?)', '"host" (string)'],
    [{ cluster: [] },                    'redis.cluster',     'a list of servers such as ["localhost:7000"]',           'a list of 0'],
    [{ cluster: 'localhost:7000' },      'redis.cluster',     'a list of servers such as ["localhost:7000"]',           '"localhost:7000" (string)'],
    [{ cluster: ['a:1', 'localhost'] },  'redis.cluster[1]',  node,                                                     '"…" (string)'],
    [{ cluster: ['rediss://a:1'] },      'redis.cluster[0]',  node,                                                     '"…" (string)'],
    [{ cluster: ['bob:secret@a:1'] },    'redis.cluster[0]',  node,                                                     '"…" (string)'],
    [{ cluster: [7000] },                'redis.cluster[0]',  node,                                                     '7000 (number)'],
    [{ cluster: ['a:1'], url: 'redis://a' }, 'redis.cluster', 'either url or cluster, not both',                        'a list of 1'],
    [{ url: 'redis://a', password: 7 },  'redis.password',    'a text',                                                 '7 (number)'],
    [{ url: 'redis://a', tls: {} },      'redis.tls',         'nothing, as it is not supported yet',                    '"…" (string)'],
    [{ sentinels: ['a:1'], master: 'm' },'redis.sentinels',   'nothing, as it is not supported yet',                    '"…" (string)'],
  ])('%j is an error that names %s', (redis, path, expected, got) => {
    expect(() => storeOf(redis)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path, message: `${path}: expected ${expected}, got ${got}` }),
    )
  })

  // biome-ignore format: a table
  it.each<[string, () => unknown]>([
    // of node-redis   made
    ['pool',           () => createClientPool()],
    ['sentinel',       () => createSentinel({ name: 'm', sentinelRootNodes: [{ host: 'a', port: 1 }] })],
  ])('a %s of node-redis is none either', (_what, made) => {
    expect(() => storeOf(made())).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'redis' }))
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
