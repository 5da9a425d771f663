import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { FaultyServer } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { createLimiter, fixedWindow, type Observer, redisStore, type StoreEvent } from '../../src/index.ts'
import { eventually } from './within.ts'

type Heard = { readonly method: string; readonly kind: StoreEvent['kind'] }

/** Keeps the events that it gets, and by which method. */
function listening(): { heard: Heard[]; observer: Observer } {
  const heard: Heard[] = []
  const keep =
    (method: string) =>
    ({ kind }: StoreEvent) =>
      void heard.push({ method, kind })
  return {
    heard,
    observer: { storeFailed: keep('storeFailed'), storeRecovered: keep('storeRecovered') },
  }
}

/** A logger that keeps when it got each sort of line. */
function writing() {
  const lines = new Map<string, number[]>()
  const keep = (line: string) => {
    const [sort = line] =
      /failed:|is no longer asked|is tried again|after the deadline|answers again/.exec(line) ?? []
    lines.set(sort, [...(lines.get(sort) ?? []), performance.now()])
  }
  return { lines, logger: { warn: keep, error: keep } }
}

describe('an outage', () => {
  const server = new FaultyServer(socket)
  beforeAll(() => server.start())
  afterAll(() => server.end())

  it('is reported to every observer in all its kinds, and to a logger once a second a kind', async () => {
    const store = redisStore(server.url)
    const [first, second] = [listening(), listening()]
    const broken: Observer = {
      storeFailed: () => {
        throw new Error('an observer of no use')
      },
    }
    const { lines, logger } = writing()
    const observers = [broken, first.observer, second.observer]
    const limiter = createLimiter({
      store,
      policy: fixedWindow({ limit: 3, window: '1h' }),
      observers,
      logger,
    })
    await eventually(async () => (await limiter.check('bob')).source === 'redis')
    server.become({ fault: 'hold answers' })
    await limiter.check('bob')
    server.become({ fault: 'none' })
    await eventually(() => limiter.health().lateReplies > 0)
    server.become({ fault: 'silence' })
    await eventually(async () => {
      await limiter.check('bob')
      return first.heard.some(({ kind }) => kind === 'half-open')
    })
    server.become({ fault: 'none' })
    await eventually(() => limiter.health().status === 'ok')
    await limiter.close()
    await store.close()

    const kinds = new Set(first.heard.map(({ method, kind }) => `${method} ${kind}`))
    expect(kinds).toEqual(
      new Set([
        'storeFailed failed',
        'storeFailed late',
        'storeFailed opened',
        'storeFailed half-open',
        'storeRecovered recovered',
      ]),
    )
    expect(second.heard).toEqual(first.heard)
    const sorts = ['failed:', 'is no longer asked', 'is tried again', 'after the deadline', 'answers again']
    expect(new Set(lines.keys())).toEqual(new Set(sorts))
    const failures = first.heard.filter(({ kind }) => kind === 'failed')
    expect(failures.length).toBeGreaterThan(lines.get('failed:')?.length ?? 0)
    for (const times of lines.values()) {
      for (const [i, at] of times.slice(1).entries())
        expect(at - (times[i] ?? 0)).toBeGreaterThanOrEqual(1000)
    }
  })
})
