import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { timeSeriesSink } from '../../src/index.ts'
import { describeEvents, describeSink, sample, startSecond, subjectOf } from './describe-sink.ts'

const file = process.env.REDIS_TIMESERIES_MODULE
/** Debian's Redis has none, and may not: its licence keeps it out. */
const describeWhereItIs = file === undefined ? describe.skip : describe

describeWhereItIs('the real module TimeSeries, where REDIS_TIMESERIES_MODULE names its file', () => {
  let server: RedisProcess
  beforeAll(async () => {
    server = await RedisProcess.prepare(['--loadmodule', file ?? ''])
    await server.start()
  })
  afterAll(() => server.end())

  for (const describeEach of [describeSink, describeEvents])
    describeEach('the sink in TimeSeries', async () => {
      const options = {
        redis: server.url,
        prefix: `${randomBytes(6).toString('hex')}:`,
        deadline: '20s' as const,
      }
      return subjectOf([timeSeriesSink(options), timeSeriesSink(options)], async () => {
        // What FILTER finds is found whatever its prefix.
        const client = new Redis(server.url)
        await client.flushall()
        client.disconnect()
      })
    })

  it('shows admitted traffic to whoever asks the server for it', async () => {
    const sink = timeSeriesSink({ redis: server.url, deadline: '20s' })
    await sink.write([sample(0, 2), sample(0, 3), sample(1, 1)])
    const client = new Redis(server.url, { protocol: 2 })
    expect(
      await client.call('TS.MRANGE', '-', '+', 'AGGREGATION', 'SUM', '1000', 'FILTER', 'data=hits'),
    ).toEqual([
      [
        'sl1:ts:hits:tiger:visitor',
        [],
        [
          [startSecond * 1000, '5'],
          [startSecond * 1000 + 1000, '1'],
        ],
      ],
    ])
    client.disconnect()
    await sink.close?.()
  })
})
