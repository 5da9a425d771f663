import { expect, it } from '@jest/globals'
import type { Answer } from '../../src/crowd/endpoint-client.ts'
import { Tally } from '../../src/crowd/tally.ts'

function admitted(ms: number): Answer {
  return { kind: 'admitted', askedUs: ms * 1000, answeredUs: ms * 1000 }
}

const refused: Answer = { kind: 'refused' }
const silent: Answer = { kind: 'none', why: 'ECONNRESET' }

it('counts each answer once, and hides none', () => {
  const tally = new Tally()
  const answers: readonly (readonly [string, Answer])[] = [
    ['ann', admitted(0)],
    ['bob', admitted(900)],
    ['ann', refused],
    ['bob', admitted(9500)],
    ['cid', { kind: 'odd', why: 'status 500' }],
    ['ann', silent],
    ['ann', silent],
  ]
  for (const [visitor, answer] of answers) tally.add(visitor, answer, 0)
  expect(tally.figures()).toEqual({
    offered: 7,
    admitted: 3,
    refused: 1,
    failed: 3,
    reasons: { 'status 500': 1, ECONNRESET: 2 },
    peakPerSecond: 2,
    mostInWindow: 3,
    clients: 3,
    // (1 + 2 + 0)² / (3 · (1² + 2² + 0²))
    fairness: 9 / 15,
  })
})

it('counts how many had no answer one after the other', () => {
  const tally = new Tally()
  const counts = [silent, silent, refused, silent].map((answer) => {
    tally.add('ann', answer, 0)
    return tally.silent
  })
  expect(counts).toEqual([1, 2, 0, 1])
})
