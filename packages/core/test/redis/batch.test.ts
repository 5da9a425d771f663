import { expect, it } from '@jest/globals'
import { attributedWindow, fixedWindow } from '../../src/index.ts'
import type { PendingQuestion } from '../../src/redis/batches.ts'
import { workOf } from '../../src/redis/batches.ts'
import type { Argument } from '../../src/redis/connection.ts'
import { ServerClock, setDeadlines } from '../../src/redis/server-deadlines.ts'
import { checkOf, question } from './real-store.ts'

const limit = { limit: 5, window: '1m' } as const

/** The first two arguments of a call whose questions were asked at these instants, with a deadline of 10 ms. */
function deadlinesOf(...askedUs: readonly number[]): readonly Argument[] {
  const batch = askedUs.map((us): PendingQuestion => {
    const waiting = { done: false, answered: () => {}, failed: () => {} }
    return { question: question(checkOf(fixedWindow(limit))), askedUs: us, waiting }
  })
  const args: Argument[] = [0, '']
  setDeadlines(args, batch, { clock: new ServerClock(), deadlineUs: 10_000 })
  return args
}

// biome-ignore format: a table
it.each<[asked: readonly number[], first: string, longer: string]>([
  // asked at                           until when, who has longer
  [[500],                               '10500', ''],
  [[500, 500],                          '10500', ''],
  [[500, 1499],                         '10500', ''],
  [[500, 1500],                         '10500', '1:0 1:1'],
  [[500, 3499, 3499, 4500],             '10500', '1:0 2:2 1:4'],
  [[4500, 500],                         '10500', '1:4 1:0'],
])('questions asked at %j have until %s, and longer by whole milliseconds, never more than that: %j', (asked, first, longer) => {
  expect(deadlinesOf(...asked)).toEqual([first, longer])
})

// biome-ignore format: a table
it.each([
  // cost, note              work
  [1,     'a',               1],
  [1,     'a'.repeat(64),    5],
  [160,   '',               11],
])('a check that writes %i entries with the note %j is as much work as %i', (cost, note, work) => {
  expect(workOf(question(checkOf(attributedWindow(limit), { cost, note })))).toBe(work)
  expect(workOf(question(checkOf(fixedWindow(limit), { cost, note })))).toBe(1)
})
