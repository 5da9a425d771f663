import { afterEach, describe, expect, it } from '@jest/globals'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { createClient } from 'redis'
import type { RedisClient } from '../../src/index.ts'
import { createLimiter, gcra, redisStore } from '../../src/index.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

type Healing = Pick<RedisOptions, 'socketTimeout' | 'reconnectOnError' | 'retryStrategy'>

function ioredis(options: Healing): Redis {
  const client = new Redis({ ...options, lazyConnect: true })
  ends.push(() => client.disconnect())
  return client
}

function cluster(options: ConstructorParameters<typeof Cluster>[1]): Cluster {
  const client = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true, ...options })
  ends.push(() => client.disconnect())
  return client
}

/** What a limiter on this client warns of. */
function linesOf(client: RedisClient): readonly string[] {
  const said: string[] = []
  const logger = { warn: (text: string) => said.push(text), error: () => {} }
  const policy = gcra({ count: 5, period: '1m' })
  const limiter = createLimiter({ policy, store: redisStore(client), logger })
  expect(limiter.health().warnings).toHaveLength(said.length)
  return said
}

/** The same by codes, shortened. */
function warnedOf(client: RedisClient): readonly string[] {
  return linesOf(client).map((text) => /^\[sluice\] SLUICE_CLIENT_(\w+): /.exec(text)?.[1] ?? text)
}

describe('a client of one’s own', () => {
  const reconnectOnError = () => true
  // biome-ignore format: a table
  it.each<[string, () => RedisClient, readonly string[]]>([
    // client                                     made                                                                     warned of
    ['ioredis as it is',                          () => ioredis({}),                                                       ['HALF_OPEN']],
    ['ioredis that notices silence',              () => ioredis({ socketTimeout: 2000 }),                                  ['READONLY']],
    ['ioredis that leaves a replica',             () => ioredis({ reconnectOnError }),                                     ['HALF_OPEN']],
    ['ioredis that heals',                        () => ioredis({ socketTimeout: 2000, reconnectOnError }),                []],
    ['ioredis that does not reconnect',           () => ioredis({ socketTimeout: 2000, reconnectOnError, retryStrategy: null }), ['NO_RECONNECT']],
    ['a cluster’s client as it is',               () => cluster({}),                                                       ['HALF_OPEN']],
    ['a cluster’s client that heals',             () => cluster({ redisOptions: { socketTimeout: 2000 } }),                []],
    ['node-redis as it is',                       () => createClient(),                                                    ['HALF_OPEN']],
    ['node-redis that gives up after a time-out', () => createClient({ socket: { socketTimeout: 2000 } }),                 ['NO_RECONNECT', 'HALF_OPEN']],
    ['node-redis that comes back after one',      () => createClient({ socket: { socketTimeout: 2000, reconnectStrategy: 50 } }), ['HALF_OPEN']],
    ['node-redis that does not reconnect',        () => createClient({ socket: { reconnectStrategy: false } }),                  ['NO_RECONNECT', 'HALF_OPEN']],
  ])('is warned of once for each setting that keeps it from recovering: %s', (_client, make, codes) => {
    expect(warnedOf(make())).toEqual(codes)
  })
  it('that has neither setting is named both in one line', () => {
    const [line, ...more] = linesOf(ioredis({}))
    expect(more).toEqual([])
    expect(line).toMatch(
      /no socketTimeout and no reconnectOnError: .*; set socketTimeout: 2000 and reconnectOnError: /,
    )
  })
})
