import { describe, expect, it } from '@jest/globals'
import { merged } from '../../../src/compare/log/merge.ts'
import { Order } from '../../../src/compare/log/order.ts'
import type { Request, Requests } from '../../../src/compare/request.ts'

function at(atUs: number, client = 'c'): Request {
  return { atUs, client, key: client, cost: 1, path: [] }
}

function inOrder(times: readonly number[], batch = 700): { requests: readonly Request[]; movedOn: number } {
  const order = new Order()
  const requests: Request[] = []
  for (let from = 0; from < times.length; from += batch) {
    const some = times.slice(from, from + batch).map((atUs, i) => at(atUs, String(from + i)))
    requests.push(...order.add(some))
  }
  requests.push(...order.rest())
  return { requests, movedOn: order.movedOn }
}

describe('requests in the order of a log', () => {
  it('come in the order of their times where each stands at most 10,000 lines too late', () => {
    // The lines of 10,000 seconds in turn, each block backwards.
    const times = Array.from(
      { length: 40_000 },
      (_, i) => Math.floor(i / 10_000) * 10_000 + 9999 - (i % 10_000),
    )
    const { requests, movedOn } = inOrder(times)
    expect(requests.map(({ atUs }) => atUs)).toEqual([...times].sort((a, b) => a - b))
    expect(movedOn).toBe(0)
  })

  it('keep their order where their times are the same', () => {
    const { requests } = inOrder(new Array(30_000).fill(5))
    expect(requests.map(({ client }) => Number(client))).toEqual(Array.from({ length: 30_000 }, (_, i) => i))
  })

  it('are moved on to the time of those before where they come later still', () => {
    const times = Array.from({ length: 50_000 }, (_, i) => i + 1)
    const { requests, movedOn } = inOrder([...times, 1, 2])
    expect(movedOn).toBe(2)
    expect(requests).toHaveLength(50_002)
    const first = requests.findIndex(({ client }) => Number(client) >= 50_000)
    const beforeUs = requests[first - 1]?.atUs ?? 0
    expect(beforeUs).toBeGreaterThan(2)
    expect(requests.slice(first, first + 2).map(({ atUs }) => atUs)).toEqual([beforeUs, beforeUs])
  })

  it('go on after one from the far future', () => {
    const times = [1, 2, 9_000_000, ...Array.from({ length: 30_000 }, (_, i) => i + 3)]
    const { requests, movedOn } = inOrder(times)
    expect([requests.at(-1)?.atUs, movedOn]).toEqual([9_000_000, 0])
  })
})

async function* stream(...batches: readonly (readonly Request[])[]): AsyncGenerator<readonly Request[]> {
  yield* batches
}

async function names(requests: Requests): Promise<string> {
  let text = ''
  for await (const batch of requests) text += batch.map(({ client }) => client).join('')
  return text
}

describe('several logs as one', () => {
  it.each([
    [
      'one after the other, the later first',
      [stream([at(4, 'd')], [at(5, 'e')]), stream([at(1, 'a'), at(2, 'b')], [at(3, 'c')])],
      'abcde',
    ],
    ['side by side', [stream([at(1, 'a'), at(3, 'c')]), stream([at(2, 'b')], [], [at(4, 'd')])], 'abcd'],
    [
      'of the same time, the first first',
      [stream([at(1, 'a')]), stream([at(1, 'b')]), stream([at(1, 'c')])],
      'abc',
    ],
    ['of which one is empty', [stream(), stream([]), stream([at(1, 'a')])], 'a'],
    ['that are all empty', [stream([]), stream()], ''],
  ])('%s', async (_what, streams, expected) => {
    expect(await names(merged(streams))).toBe(expected)
  })

  it('leaves nothing out of many', async () => {
    const streams = [0, 1, 2].map((shift) =>
      stream(Array.from({ length: 5000 }, (_, i) => at(i * 3 + shift, `${i * 3 + shift} `))),
    )
    const expected = Array.from({ length: 15_000 }, (_, i) => `${i} `).join('')
    expect(await names(merged(streams))).toBe(expected)
  })
})
