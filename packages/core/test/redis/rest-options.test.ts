import { describe, expect, it } from '@jest/globals'
import { redisStore } from '../../src/index.ts'
import { readClient } from '../../src/redis/client.ts'

const secret = 'AX-secret-of-the-front'
const url =
  'the https:// URL of a REST API, without a name, a password or a query (http:// on this machine only)'
const token = 'the token of the REST API, in visible ASCII characters, or a function that returns it'
const both = '{ url, token } for a REST API'
const only = 'a known option (one of url, token)'

/** As JavaScript may call it. */
function storeOf(redis: unknown): unknown {
  return redisStore(redis as string)
}

describe('a store on a REST API', () => {
  // biome-ignore format: a table
  it.each([
    // what                                                      path              expected  got
    ['https://a.example',                                        'redis',          both,     '"…" (string)'],
    [new URL('https://a.example'),                               'redis',          both,     'an object (URL)'],
    [{ url: 'https://a.example' },                               'redis.token',    token,    'undefined'],
    [{ url: 'https://a.example', token: '' },                    'redis.token',    token,    '"…" (string)'],
    [{ url: 'https://a.example', token: `${secret}\n` },         'redis.token',    token,    '"…" (string)'],
    [{ url: 'https://a.example', token: `${secret} ` },          'redis.token',    token,    '"…" (string)'],
    [{ url: 'https://a.example', token: 7 },                     'redis.token',    token,    '7 (number)'],
    [{ url: 'http://a.example', token: secret },                 'redis.url',      url,      '"…" (string)'],
    [{ url: 'http://127.0.0.1.example', token: secret },         'redis.url',      url,      '"…" (string)'],
    [{ url: 'http://10.0.0.1', token: secret },                  'redis.url',      url,      '"…" (string)'],
    [{ url: 'redis://localhost', token: secret },                'redis.url',      url,      '"…" (string)'],
    [{ url: 'https://', token: secret },                         'redis.url',      url,      '"…" (string)'],
    [{ url: `https://:${secret}@a.example`, token: secret },     'redis.url',      url,      '"…" (string)'],
    [{ url: `https://a.example?_token=${secret}`, token: 't' },  'redis.url',      url,      '"…" (string)'],
    [{ url: 7, token: secret },                                  'redis.url',      url,      '7 (number)'],
    [{ token: secret },                                          'redis.url',      url,      'undefined'],
    [{ url: undefined, token: undefined },                       'redis.url',      url,      'undefined'],
    [{ url: 'https://a.example', token: secret, password: 'p' }, 'redis.password', only,     '"password" (string)'],
  ])('%j is an error that names %s', (redis, path, expected, got) => {
    const error = expect.objectContaining({
      code: 'SLUICE_OPTION',
      path,
      message: `${path}: expected ${expected}, got ${got}`,
    })
    expect(() => storeOf(redis)).toThrow(error)
    expect(() => storeOf(redis)).not.toThrow(secret)
  })

  it.each([
    'https://a.example',
    'https://a.example/redis/',
    new URL('https://a.example:8443'),
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
  ])('may be at %s', async (place) => {
    await redisStore({ url: place, token: secret }).close()
    await redisStore({ url: place, token: () => secret }).close()
  })

  it.each([
    [{ url: 'https://a.example', token: secret }],
    [{ url: 'https://a.example', token: secret, password: 'p' }],
    [{ url: 'https://a.example' }],
    ['https://a.example'],
    [new URL('https://a.example')],
  ])('is none for what needs a connection to Redis itself: %j', (redis) => {
    expect(() => readClient(redis)).toThrow(
      'redis: expected a connection to Redis itself, such as redis://localhost:6379: over REST only redisStore() can ask, got',
    )
  })

  it.each([undefined, 6379, new Map()])('is not offered to %p where it would be refused', (redis) => {
    expect(() => readClient(redis)).toThrow(
      'redis: expected a redis:// URL, { url }, { cluster: ["host:port"] }, { sentinels: ["host:port"], master }, or a client of ioredis 5 or 6 or node-redis 5 or 6, got',
    )
  })
})
