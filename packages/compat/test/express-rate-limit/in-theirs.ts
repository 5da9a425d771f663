import { afterEach, describe, expect, it } from '@jest/globals'
import type { Store as CoreStore } from '@sluice/core'
import { rateLimit } from 'express-rate-limit'
import { rateLimit as moved, SluiceStore } from '../../src/express-rate-limit/index.ts'
import { log, type Site, siteWith, statuses, untilUsed } from './site.ts'

/** A store of Sluice's where express-rate-limit itself wants one. `makeStore` is for one test. */
export function describeInTheirs(name: string, makeStore: () => CoreStore): void {
  describe(`SluiceStore on ${name} in express-rate-limit`, () => {
    let site: Site | undefined
    let prefixes = 0
    const prefix = () => `theirs-${process.pid}-${prefixes++}`

    afterEach(async () => {
      await site?.close()
      site = undefined
    })

    it.each<[string, number | (() => number)]>([
      ['a number', 2],
      ['a function', () => 2],
    ])('counts all hits; the limit is %s', async (_name, limit) => {
      const logger = log()
      const limiter = rateLimit({ limit, logger, store: new SluiceStore(makeStore(), { prefix: prefix() }) })
      site = await siteWith(limiter)
      expect(await statuses(site, 4)).toEqual([200, 200, 429, 429])
      expect(site.seen).toMatchObject([{ used: 1 }, { used: 2 }, { used: 3 }, { used: 4, remaining: 0 }])
      expect(await limiter.getKey('127.0.0.1')).toEqual({ totalHits: 4, resetTime: expect.any(Date) })
      await limiter.resetKey('127.0.0.1')
      expect(await statuses(site, 3)).toEqual([200, 200, 429])
      // What Sluice says of a client is no concern here.
      expect(logger.lines.filter((line) => !line.startsWith('[sluice]'))).toEqual([])
    })

    it('gives hits back, and a refusal frees nothing', async () => {
      const limiter = rateLimit({
        limit: 1,
        store: new SluiceStore(makeStore(), { prefix: prefix() }),
        skipFailedRequests: true,
      })
      site = await siteWith(limiter)
      for (const [path, status, hits] of [
        ['/fail', 400, 0],
        ['/fail', 400, 0],
        ['/', 200, 1],
        ['/', 429, 1],
        ['/', 429, 1],
      ] as const) {
        expect(await statuses(site, 1, path)).toEqual([status])
        await untilUsed(limiter, hits)
      }
    })

    it('goes on counting when the import is changed', async () => {
      const store = makeStore()
      const shared = prefix()
      const of = (make: typeof rateLimit | typeof moved) =>
        make({ limit: 3, logger: log(), store: new SluiceStore(store, { prefix: shared }) })
      site = await siteWith((request, response, next) =>
        (request.query.moved ? after : before)(request, response, next),
      )
      const [before, after] = [of(rateLimit), of(moved)]
      expect(await statuses(site, 2)).toEqual([200, 200])
      expect(await statuses(site, 2, '/?moved=1')).toEqual([200, 429])
      expect(await statuses(site, 1)).toEqual([429])
      expect(site.seen.map((info) => Reflect.get(Object(info), 'used'))).toEqual([1, 2, 3, 4, 5])
    })

    it('counts limiters apart by their prefixes', async () => {
      const store = makeStore()
      const one = new SluiceStore(store, { prefix: prefix() })
      const two = new SluiceStore(store, { prefix: prefix() })
      site = await siteWith(rateLimit({ limit: 2, store: one }), rateLimit({ limit: 3, store: two }))
      expect(await statuses(site, 3)).toEqual([200, 200, 429])
      expect(await two.get('127.0.0.1')).toMatchObject({ totalHits: 2 })
    })
  })
}
