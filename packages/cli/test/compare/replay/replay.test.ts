import { describe, expect, it } from '@jest/globals'
import { createLimiter, memoryStore } from '@sluice/core'
import { policyFrom } from '@sluice/core/strategies'
import { manualClock } from '@sluice/testing'
import fc from 'fast-check'
import type { Contender } from '../../../src/compare/candidate.ts'
import type { Result } from '../../../src/compare/comparison.ts'
import { policyContender } from '../../../src/compare/policy-candidate.ts'
import { policyData } from '../../../src/compare/policy-text.ts'
import { type Replayed, replay } from '../../../src/compare/replay/replay.ts'
import type { Request } from '../../../src/compare/request.ts'
import { scaled } from '../../../src/compare/scaled.ts'

const beganUs = 1_700_000_000_000_000

const texts = [
  'gcra:10/1s,burst=3',
  'slidingWindowLog:8/1s',
  'slidingWindowCounter:8/1s',
  'fixedWindow:8/1s',
  'fixedWindow:8/day,timeZone=Europe/Vienna',
  'tokenBucket:10/1s,capacity=4',
  'leakyBucket:10/1s,capacity=4',
  'uniform:200ms',
  'multiWindow:4/200ms,12/1s',
  'attributedWindow:8/1s',
]

function contender(text: string, keyedBy = 'ip'): Contender {
  return policyContender(policyData(text), text, keyedBy)
}

const traffic = fc
  .array(fc.tuple(fc.nat(300_000), fc.nat(4), fc.constantFrom(1, 1, 1, 2, 5)), {
    minLength: 1,
    maxLength: 150,
  })
  .map((steps) => {
    let atUs = beganUs
    return steps.map(([gapUs, client, cost]): Request => {
      atUs += gapUs
      return { atUs, client: `c${client}`, key: `c${client}`, cost, path: [] }
    })
  })

async function* inBatches(requests: readonly Request[], size = 7): AsyncGenerator<readonly Request[]> {
  for (let from = 0; from < requests.length; from += size) yield requests.slice(from, from + size)
}

async function replayed(
  requests: readonly Request[],
  ...contenders: readonly Contender[]
): Promise<Replayed> {
  return await replay(inBatches(requests), contenders)
}

async function resultOf(requests: readonly Request[], text: string): Promise<Result> {
  const { results } = await replayed(requests, contender(text))
  if (results[0] === undefined) throw new Error('no result')
  return results[0]
}

/** Asks a limiter as a service does, its clock moved from request to request. */
async function asked(
  requests: readonly Request[],
  data: ReturnType<typeof policyData>,
): Promise<readonly boolean[]> {
  const clock = manualClock()
  const limiter = createLimiter({ policy: policyFrom(data), store: memoryStore({ clock }) })
  const answers: boolean[] = []
  for (const { atUs, key, cost } of requests) {
    await clock.advance((atUs - clock.nowUs()) / 1000)
    answers.push((await limiter.check(key, { cost })).allowed)
  }
  await limiter.close()
  return answers
}

function naiveMost(requests: readonly Request[], windowUs: number): number {
  const ends = requests.map(({ atUs, key }) =>
    requests
      .filter((other) => other.key === key && other.atUs <= atUs && other.atUs > atUs - windowUs)
      .reduce((sum, { cost }) => sum + cost, 0),
  )
  return Math.max(0, ...ends)
}

describe.each(texts)('%s', (text) => {
  it('does to replayed requests what a limiter does to requests', async () => {
    await fc.assert(
      fc.asyncProperty(traffic, async (requests) => {
        const data = policyData(text)
        const allowed = await asked(requests, data)
        const admitted = requests.filter((_, i) => allowed[i])
        const refused = requests.filter((_, i) => !allowed[i])
        const result = await resultOf(requests, text)
        expect([result.admitted, result.refused]).toEqual([admitted.length, refused.length])
        expect(result.refusedShare).toBe(refused.length / requests.length)
        expect(result.clientsRefused).toBe(new Set(refused.map(({ client }) => client)).size)
        expect(result.admittedOverTime.reduce((a, b) => a + b, 0)).toBe(admitted.length)
        expect(result.refusedOverTime.reduce((a, b) => a + b, 0)).toBe(refused.length)
        expect(result.worstWindow?.count).toBe(
          naiveMost(admitted, (result.worstWindow?.windowMs ?? 0) * 1000),
        )
        expect(Math.max(...(result.windowOverTime ?? []))).toBe(result.worstWindow?.count)
        const alike = admitted.map((request) => ({ ...request, key: 'all', cost: 1 }))
        expect(result.worstSecond.count).toBe(naiveMost(alike, 1e6))
        for (const { client, offered, refused: times } of result.refusedClients) {
          expect(offered).toBe(requests.filter((request) => request.client === client).length)
          expect(times).toBe(refused.filter((request) => request.client === client).length)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('is tried with half and twice its numbers', async () => {
    await fc.assert(
      fc.asyncProperty(traffic, async (requests) => {
        const { tighter, looser } = await resultOf(requests, text)
        for (const [variant, times] of [[tighter, 0.5] as const, [looser, 2] as const]) {
          const data = scaled(policyData(text), times)
          if (data === undefined) throw new Error('no such numbers')
          const admitted = (await asked(requests, data)).filter(Boolean).length
          expect(variant?.admitted).toBe(admitted)
          expect(variant?.refused).toBe(requests.length - admitted)
        }
      }),
      { numRuns: 10 },
    )
  })
})

function ask(seconds: number, client: string, key: string = client): Request {
  return { atUs: beganUs + seconds * 1e6, client, key, cost: 1, path: [] }
}

describe('the report on traffic', () => {
  it('covers no traffic, too', async () => {
    const { traffic: facts, timeline, results } = await replayed([], contender('fixedWindow:1/1s'))
    expect(facts).toEqual({
      requests: 0,
      units: 0,
      clients: 0,
      requestsOfOthers: 0,
      fromMs: 0,
      toMs: 0,
      requestsPerSecond: 0,
      peak: { count: 0, atMs: 0 },
      networks: [],
      wellBehaved: null,
    })
    expect(timeline.offered).toEqual([])
    expect(results).toMatchObject([{ admitted: 0, refused: 0, refusedShare: 0, refusedClients: [] }])
  })

  it('is counted', async () => {
    const requests = [ask(0, 'a'), ask(0.5, 'b'), ask(4, 'a'), ask(4.25, 'a'), ask(4.5, 'c'), ask(9, 'a')]
    const { traffic: facts, timeline } = await replayed(requests)
    expect(facts).toEqual({
      requests: 6,
      units: 6,
      clients: 3,
      requestsOfOthers: 0,
      fromMs: beganUs / 1000,
      toMs: beganUs / 1000 + 9000,
      requestsPerSecond: 6 / 9,
      peak: { count: 3, atMs: beganUs / 1000 + 4500 },
      networks: [],
      wellBehaved: null,
    })
    expect(timeline).toEqual({
      fromMs: beganUs / 1000,
      stepMs: 1000,
      offered: [2, 0, 0, 0, 3, 0, 0, 0, 0, 1],
    })
  })

  it('names the clients that are refused where all share a count', async () => {
    const requests = ['a', 'a', 'b', 'c', 'c', 'c'].map((client, i) => ask(i / 10, client, 'everybody'))
    const result = await resultOf(requests, 'fixedWindow:2/1m')
    expect(result.refusedClients).toEqual([
      { client: 'c', offered: 3, refused: 3 },
      { client: 'b', offered: 1, refused: 1 },
    ])
    expect(result.worstWindow).toMatchObject({ count: 2, key: 'everybody', most: 2, atLeast: false })
  })

  it('names the twenty that are refused most', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `client-${i}`)
    const requests = names.flatMap((name, i) => Array.from({ length: i + 1 }, () => ask(1, name)))
    const { refusedClients, clientsRefused } = await resultOf(requests, 'fixedWindow:1/1m')
    expect(clientsRefused).toBe(29)
    expect(refusedClients).toEqual(
      names
        .map((client, i) => ({ client, offered: i + 1, refused: i }))
        .reverse()
        .slice(0, 20),
    )
  })

  it('shows that a fixed window lets twice its limit pass around its end', async () => {
    const requests = [0, 0.9, 0.95, 1.0, 1.05, 1.1].map((seconds) => ask(seconds, 'a'))
    const fixed = await resultOf(requests, 'fixedWindow:3/1s')
    const log = await resultOf(requests, 'slidingWindowLog:3/1s')
    expect([fixed.worstWindow?.count, log.worstWindow?.count]).toEqual([5, 3])
  })

  it.each([
    [999_999, false],
    [1_000_000, true],
  ])('says of a store with %i keys whether some were forgotten: %j', async (keys, expected) => {
    const { candidate, ...others } = contender('fixedWindow:1/1s')
    const crowded: Contender = {
      ...others,
      candidate: {
        ...candidate,
        open: async (clock) => ({ ...(await candidate.open(clock)), keys: () => keys }),
      },
    }
    const { results } = await replayed([ask(0, 'a')], crowded)
    expect(results[0]?.keysForgotten).toBe(expected)
  })

  it('looks at the number of keys', async () => {
    const opened = await contender('fixedWindow:1/1s').candidate.open({ nowUs: () => beganUs })
    await opened.ask(ask(0, 'a'))
    await opened.ask(ask(0, 'b'))
    expect(opened.keys()).toBe(2)
    await opened.close()
  })
})
