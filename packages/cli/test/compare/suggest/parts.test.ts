import { describe, expect, it } from '@jest/globals'
import type { Request } from '../../../src/compare/request.ts'
import { type AimFlags, readAim } from '../../../src/compare/suggest/aim.ts'
import { keep, keptRequests } from '../../../src/compare/suggest/kept.ts'
import { least } from '../../../src/compare/suggest/least.ts'
import { Behaviour } from '../../../src/compare/well-behaved.ts'
import { UsageError } from '../../../src/exit-code.ts'
import { every, keptOf, requestOf, type Sent } from './scene.ts'

describe('the least number that passes', () => {
  it('is found wherever it lies, in about two questions for each binary digit', async () => {
    for (let threshold = 1; threshold <= 130; threshold++) {
      let asked = 0
      const found = await least(130, async (number) => {
        asked++
        return number >= threshold
      })
      expect(found).toBe(threshold)
      expect(asked).toBeLessThanOrEqual(Math.max(1, 2 * Math.ceil(Math.log2(threshold))))
    }
  })

  it('is none where the highest does not pass', async () => {
    expect(await least(100, async (number) => number > 100)).toBeUndefined()
  })
})

describe('well-behaved clients', () => {
  const kept = keptOf([
    ...every(10, 30, 'six in a minute'),
    ...every(30, 10, 'two'),
    ...every(30, 10, 'two as well'),
    // Over the edge of a minute of the clock.
    ...[58, 59, 61, 62].map((at): Sent => [at, 'four']),
    ...every(1, 100, 'sixty'),
  ])

  // biome-ignore format: a table
  it.each([
    // share   busiest minute   clients, requests of theirs and of others
    [  0.01,    2,    2,  20,   3, 134 ],
    [  0.4,     2,    2,  20,   3, 134 ],
    [  0.41,    4,    3,  24,   2, 130 ],
    [  0.8,     6,    4,  54,   1, 100 ],
    [  1,      60,    5, 154,   0,   0 ],
    [  0,       0,    0,   0,   5, 154 ],
  ])('are the calmest of all, here %d of them', (share, busiestMinute, clients, requests, otherClients, otherRequests) => {
    const behaviour = new Behaviour()
    for (let at = 0; at < kept.size; at++) behaviour.add(kept.clientAt(at), kept.atUs(at))
    expect(behaviour.wellBehaved(share)).toMatchObject({
      busiestMinute,
      wellBehaved: { clients, requests },
      others: { clients: otherClients, requests: otherRequests },
    })
  })
})

describe('requests that are kept', () => {
  const sent: readonly Sent[] = Array.from({ length: 3000 }, (_, i) => [
    i / 7,
    `c${i % 13}`,
    `k${i % 5}`,
    1 + (i % 3),
  ])

  async function* batches(requests: readonly Request[]): AsyncGenerator<readonly Request[]> {
    yield requests.slice(0, 100)
    yield requests.slice(100)
  }

  it('come out as they went in', async () => {
    const requests = sent.map(requestOf)
    const out: Request[] = []
    for await (const batch of keptRequests(await keep(batches(requests)))) out.push(...batch)
    expect(out).toEqual(requests)
  })

  it('are no more than so many', async () => {
    const requests = sent.map(requestOf)
    expect((await keep(batches(requests), 3000)).size).toBe(3000)
    await expect(keep(batches(requests), 2999)).rejects.toThrow(UsageError)
  })
})

describe('what --suggest says', () => {
  const flags = (changes: Partial<AimFlags>): AimFlags => ({ policy: [], ...changes })

  // biome-ignore format: a table
  it.each([
    [ { suggest: '1%' },                                 { mostRefused: 0.01,  wellBehavedShare: 0.95 } ],
    [ { suggest: '1' },                                  { mostRefused: 0.01,  wellBehavedShare: 0.95 } ],
    [ { suggest: '0.5 %', wellBehaved: '99%' },          { mostRefused: 0.005, wellBehavedShare: 0.99 } ],
    [ { suggest: '0', policy: ['uniform:1s'] },          { mostRefused: 0, policies: [{ strategy: 'uniform', interval: '1s' }] } ],
  ])('is read: %j', (given, aim) => {
    expect(readAim(flags(given))).toMatchObject(aim)
  })

  it('seeks the usual strategies over a minute where no policy is named', () => {
    expect(readAim(flags({ suggest: '1%' }))?.policies.map(({ strategy }) => strategy)).toEqual([
      'gcra',
      'slidingWindowLog',
      'fixedWindow',
    ])
  })

  // biome-ignore format: a table
  it.each([
    [ { suggest: 'few' },                                '--suggest few: suggest: expected a percentage from 0 to 100 such as 1%, got "few" (string)' ],
    [ { suggest: '101%' },                               '--suggest 101%: suggest: expected a percentage from 0 to 100 such as 1%, got "101%" (string)' ],
    [ { suggest: '-1%' },                                '--suggest -1%: suggest: expected a percentage from 0 to 100 such as 1%, got "-1%" (string)' ],
    [ { suggest: '1%', wellBehaved: 'all' },             '--well-behaved all: well-behaved: expected a percentage from 0 to 100 such as 1%, got "all" (string)' ],
    [ { suggest: '1%', limits: 'limits.yaml' },          '--suggest finds numbers for policies, not for a file: leave out --limits' ],
    [ { suggest: '1%', policy: ['multiWindow:1/1s,9/1m'] }, '--policy multiWindow:1/1s,9/1m: strategy: expected one of attributedWindow, fairShare, fixedWindow, gcra, leakyBucket, slidingWindowCounter, slidingWindowLog, tokenBucket, uniform for --suggest, got "multiWindow" (string)' ],
  ])('is refused where it makes no sense: %j', (given, message) => {
    expect(() => readAim(flags(given))).toThrow(new UsageError(message))
  })
})
