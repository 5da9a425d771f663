import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow } from '@sluice/core'
import { Cluster, Redis } from 'ioredis'
import { createClient } from 'redis'
import { recorder, redisSink, type Sink, timeSeriesSink } from '../../src/index.ts'
import { silent } from '../moved-recorder.ts'
import { TimeSeriesServer } from '../time-series/server.ts'
import { describeSink, sample, span, startSecond, subjectOf } from './describe-sink.ts'

const clients = {
  'ioredis, RESP2': async (port: number) => {
    const client = new Redis({ host: '127.0.0.1', port, protocol: 2 })
    return { client, end: () => client.disconnect() }
  },
  'ioredis, RESP3': async (port: number) => {
    const client = new Redis({ host: '127.0.0.1', port, protocol: 3, replyMapping: 'resp3' })
    return { client, end: () => client.disconnect() }
  },
  'node-redis, RESP2': async (port: number) => {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP: 2 })
    await client.connect()
    return { client, end: () => client.destroy() }
  },
  'node-redis, RESP3': async (port: number) => {
    const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP: 3 })
    await client.connect()
    return { client, end: () => client.destroy() }
  },
}

describe.each(Object.entries(clients))('through %s', (_, connect) => {
  const server = new TimeSeriesServer()
  let connected: Awaited<ReturnType<typeof connect>>
  // One for all: to make a client of node-redis takes longer than a test.
  beforeAll(async () => {
    await server.start()
    connected = await connect(server.port)
  })
  afterAll(() => {
    connected.end()
    return server.end()
  })

  describeSink('the sink in TimeSeries', async () => {
    server.empty()
    const options = { redis: connected.client, deadline: '20s' } as const
    return subjectOf([timeSeriesSink(options), redisSink(options)])
  })
})

describe('the sink in TimeSeries', () => {
  let server: TimeSeriesServer
  let sink: Sink
  const url = () => `redis://127.0.0.1:${server.port}`
  beforeEach(async () => {
    server = new TimeSeriesServer()
    await server.start()
    sink = redisSink({ redis: url(), retention: '1h', deadline: '20s' })
  })
  afterEach(async () => {
    await sink.close?.()
    await server.end()
  })

  /** Commands of a name that it was sent. */
  function sent(name: string): readonly (readonly string[])[] {
    return server.commands.filter(([command]) => command === name)
  }

  it('writes whole seconds that are added up, with all that a new series needs each time', async () => {
    await sink.write([sample(0, 3)])
    await sink.write([sample(0, -1)])
    const key = 'sl1:ts:hits:tiger:visitor'
    const settings = 'RETENTION 3600000 CHUNK_SIZE 128 ON_DUPLICATE SUM'.split(' ')
    const labels = 'LABELS data hits limiter tiger policy visitor'.split(' ')
    const add = (units: string) => ['TS.ADD', key, `${startSecond}000`, units, ...settings, ...labels]
    expect(sent('TS.ADD')).toEqual([add('3'), add('-1')])
    expect(sent('PEXPIRE')).toEqual([
      ['PEXPIRE', key, '3600000'],
      ['PEXPIRE', key, '3600000'],
    ])
    expect(server.lives.get(key)).toBe(3_600_000)
  })

  it('sends no number that the module would take for one', async () => {
    await sink.write([sample(0, Number.NaN), sample(0, 1)]).catch(() => {})
    expect(sent('TS.ADD').map(([, , , units]) => units)).toEqual(['1'])
  })

  it('shows admitted traffic to whoever asks the server for it', async () => {
    const seen = recorder(sink, { logger: silent })
    const limiter = createLimiter({
      name: 'tiger',
      policy: fixedWindow({ limit: 5, window: '1h' }),
      observers: [seen],
    })
    for (let i = 0; i < 8; i++) await limiter.check('bob')
    await seen.flush()
    const client = new Redis({ port: server.port, protocol: 2 })
    const ask = (filter: string) =>
      client.call('TS.MRANGE', '-', '+', 'AGGREGATION', 'SUM', '1000', 'FILTER', filter)
    const sum = (reply: unknown) =>
      (reply as [string, [], [number, string][]][]).map(([key, , samples]) => [
        key,
        samples.reduce((units, [, value]) => units + Number(value), 0),
      ])
    expect(sum(await ask('data=hits'))).toEqual([['sl1:ts:hits:tiger:default', 5]])
    expect(sum(await ask('data=denied'))).toEqual([['sl1:ts:denied:tiger:default', 3]])
    client.disconnect()
    await limiter.close()
  })

  it('loses what the server refuses, and that alone', async () => {
    await sink.write([sample(0, 1)])
    const old = sample(-3601, 7)
    await expect(sink.write([old, sample(1, 1)])).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      units: 7,
      message: 'ERR TSDB: Timestamp is older than retention',
    })
    expect((await sink.query(span([0, 2])))[0]?.values).toEqual([1, 1])
  })

  it('reads nothing of other programs', async () => {
    server.module.run(['TS.ADD', 'theirs', `${startSecond}000`, '5', 'LABELS', 'data', 'hits'])
    await sink.write([sample(0, 1)])
    expect((await sink.query(span([0, 1]))).map(({ series }) => series)).toEqual(['hits:tiger:visitor'])
    const other = redisSink({ redis: url(), prefix: 'other:', deadline: '20s' })
    expect(await other.query(span([0, 1]))).toEqual([])
    await other.close?.()
  })

  it('asks how many series there are before it has them read', async () => {
    const many = Array.from({ length: 150 }, (_, i) => sample(0, 1, { series: `hits:many:${i}` }))
    await sink.write(many)
    await sink.query(span([-660, 240])).catch(() => {})
    expect(sent('TS.QUERYINDEX')).toEqual([['TS.QUERYINDEX', 'data=(hits,denied,admitted,refused,local)']])
    expect(sent('TS.MRANGE')).toEqual([])
  })

  it('is found once', async () => {
    for (let i = 0; i < 3; i++) await sink.write([sample(i, 1)])
    await sink.query(span([0, 1]))
    expect(sent('COMMAND')).toEqual([['COMMAND', 'INFO', 'ts.add']])
  })

  it.each([
    ['who may not ask for commands', ['COMMAND'], true],
    ['who may neither ask for commands nor read series', ['COMMAND', 'TS.GET'], false],
  ])('is found for a user %s: %s', async (_, forbidden, found) => {
    server.become({ forbidden })
    await sink.write([sample(0, 1)]).catch(() => {})
    expect(sent('TS.ADD')).toHaveLength(found ? 1 : 0)
  })

  it('is found where COMMAND has another name', async () => {
    server.become({ renamed: ['COMMAND'] })
    await sink.write([sample(0, 1)])
    expect(sent('TS.ADD')).toHaveLength(1)
  })

  it('is insisted upon where it is asked for by name', async () => {
    server.become({ module: false })
    const insisting = timeSeriesSink({ redis: url(), deadline: '20s' })
    const missing = { code: 'SLUICE_STORE', message: expect.stringContaining('no module TimeSeries') }
    await expect(insisting.query(span([0, 1]))).rejects.toMatchObject(missing)
    await expect(insisting.nowMs?.()).rejects.toMatchObject(missing)
    server.become({ module: true })
    await insisting.write([sample(0, 1)])
    expect(await insisting.query(span([0, 1]))).toHaveLength(1)
    await insisting.close?.()
  })

  it('is looked for anew where another server has come in its place', async () => {
    await sink.write([sample(0, 1)])
    server.become({ module: false })
    await expect(sink.write([sample(1, 1)])).rejects.toThrow('unknown command')
    server.become({ module: true })
    await sink.write([sample(2, 1)])
    expect(sent('COMMAND')).toHaveLength(2)
  })
})

describe('TimeSeries on a cluster', () => {
  let servers: readonly TimeSeriesServer[]
  let client: Cluster
  let sink: Sink
  const many = Array.from({ length: 30 }, (_, i) => sample(0, i + 1, { series: `hits:many:${i}` }))
  beforeEach(async () => {
    servers = [new TimeSeriesServer(), new TimeSeriesServer(), new TimeSeriesServer()]
    for (const server of servers) await server.start()
    TimeSeriesServer.join(servers)
    client = new Cluster([{ host: '127.0.0.1', port: servers[0]?.port ?? 0 }])
    client.on('error', () => {})
    sink = redisSink({ redis: client, deadline: '20s' })
    await sink.write(many)
  })
  afterEach(async () => {
    await sink.close?.()
    client.disconnect()
    await Promise.all(servers.map((server) => server.end()))
  })

  async function total(): Promise<readonly [series: number, units: number]> {
    const points = await sink.query(span([0, 1]))
    return [points.length, points.reduce((sum, { values: [units = 0] }) => sum + units, 0)]
  }

  it('is asked at every server: one alone answers for its own series, without a word', async () => {
    expect(servers.map(({ module }) => module.keys.length).every((count) => count > 0)).toBe(true)
    expect(await total()).toEqual([30, 465])
  })

  it('counts no series twice where each server answers for all', async () => {
    for (const server of servers) server.refreshed = true
    expect(await total()).toEqual([30, 465])
  })

  it('finds a series where it lies', async () => {
    const each = await Promise.all(many.map(({ series }) => sink.query(span([0, 1], { series }))))
    expect(each.map(([points]) => points?.values[0])).toEqual(many.map(({ units }) => units))
  })

  it('answers nothing where one server does not: a part would pass for the whole', async () => {
    await servers[1]?.end()
    await expect(total()).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  })

  it('goes by the clock of one server', async () => {
    for (const { commands } of servers) commands.splice(0)
    for (let i = 0; i < 5; i++) await sink.nowMs?.()
    expect(servers.map(({ commands }) => commands.length).sort()).toEqual([0, 0, 5])
  })
})
