import { expect, it } from '@jest/globals'
import { Redis } from 'ioredis'
import { redisSink, timeSeriesSink } from '../../src/index.ts'

it.each([redisSink, timeSeriesSink])('%p takes a URL and a client as an option, and says so', (make) => {
  const client = new Redis({ lazyConnect: true })
  for (const [given, got] of [
    ['redis://localhost', '"redis://localhost" (string)'],
    [client, 'an object'],
  ])
    expect(() => make(given as never)).toThrow(
      `options: expected an object of options such as { redis: … }, got ${got}`,
    )
})
