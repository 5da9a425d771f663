import { expect } from '@jest/globals'
import { describeOptions, type Means, never } from '@sluice/conformance/options'
import { manualClock } from '@sluice/testing'
import type { LoadTestEndpointOptions } from '../../src/endpoint/index.ts'
import { Site } from './site.ts'

const observer: Means = (value) => typeof value === 'object' && value !== null

describeOptions<Site>({
  name: 'loadTestEndpoint',
  right: {
    base: '/crowd',
    clock: manualClock(),
    store: undefined,
    observers: [{ lost() {} }],
    logger: { warn: () => {}, error: () => {} },
  },
  places: {
    base: (value) => typeof value === 'string' && value.startsWith('/'),
    clock: never,
    store: never,
    observers: (value) => Array.isArray(value) && value.every(observer),
    'observers[0]': observer,
    logger: never,
    'logger.warn': (value) => typeof value === 'function',
  },
  make: (options) => new Site(options as LoadTestEndpointOptions), // nonsense has no type
  async judge(site) {
    await site.listen()
    const run = await site.open({ title: 'log', policies: { log: { strategy: 'uniform', interval: '1h' } } })
    expect(await site.visit(run, ['ann', 'bob'])).toEqual([201, 429])
    await site.close()
  },
})
