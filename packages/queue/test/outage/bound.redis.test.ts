import { describe, expect, it } from '@jest/globals'
import { Opened } from '../stream/opened.ts'
import { Crew, offering } from './crew.ts'

const processes = 4
const callers = 16
const each = 50

/** Looks at the length until it is stopped; answers the longest that was seen. */
function watch(opened: Opened): () => Promise<number> {
  let isOver = false
  let longest = 0
  const looking = (async () => {
    while (!isOver) longest = Math.max(longest, await opened.client.xlen(opened.key('e')))
  })()
  return async () => {
    isOver = true
    await looking
    return longest
  }
}

async function crowd(opened: Opened, limit: number): Promise<number> {
  const task = { name: opened.name, limit, offer: { callers, each } }
  const answers = await Promise.all(Array.from({ length: processes }, () => offering(task)))
  const sum = (answer: string) => answers.reduce((total, counts) => total + (counts[answer] ?? 0), 0)
  expect(sum('accepted') + sum('full')).toBe(processes * callers * each)
  return sum('accepted')
}

describe('64 callers in four processes', () => {
  it('are accepted exactly as often as the limit says', async () => {
    const opened = new Opened({ limit: 100 })
    const longestOf = watch(opened)
    const accepted = await crowd(opened, 100)
    expect(await longestOf()).toBe(100)
    expect(accepted).toBe(100)
    expect(await opened.books()).toEqual({ accepted: 100, accountedFor: 100 })
    await opened.close()
  })

  it('never fill it beyond the limit while processors empty it', async () => {
    const opened = new Opened({ limit: 100 })
    const crew = new Crew({ name: opened.name, limit: 100, work: { concurrency: 8 } })
    await crew.start(2)
    const longestOf = watch(opened)
    const accepted = await crowd(opened, 100)
    await crew.stop()
    expect(await longestOf()).toBeLessThanOrEqual(100)
    expect(accepted).toBeGreaterThan(100)
    expect(await opened.books()).toEqual({ accepted, accountedFor: accepted })
    await opened.close()
  })
})
