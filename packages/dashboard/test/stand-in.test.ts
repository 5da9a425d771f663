import { expect, test } from '@jest/globals'
import { createLimiter, fixedWindow, type Observer } from '@sluice/core'
import { StandIn } from '../src/stand-in.ts'

const hourMs = 3_600_000

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

test.each([-hourMs, 0, hourMs])(
  'counts on the clock of the store, which is %d ms off from that of this process',
  async (offMs) => {
    const watching: Observer[] = []
    const nowMs = () => Date.now() + offMs
    const watch = (observer: Observer) => {
      watching.push(observer)
      return () => {}
    }
    const standIn = new StandIn({ nowMs, watch } as never) // what it asks of a recorder
    standIn.start()
    const policy = fixedWindow({ limit: 2, window: '1m' })
    const limiter = createLimiter({ name: 'tiger', policy, observers: watching })
    const fromMs = nowMs()
    for (let i = 0; i < 3; i++) await limiter.check('bob')
    const points = await standIn.query({ fromMs, toMs: nowMs() + 1, step: '1h' })
    expect(points.map(({ series, values }) => [series, sum(values)])).toEqual([
      ['admitted:tiger', 2],
      ['denied:tiger:default', 1],
      ['hits:tiger:default', 2],
      ['refused:tiger', 1],
    ])
    standIn.stop()
    await limiter.close()
  },
)
