import { expect, test } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { type Handed, type Jobs, type Member, memoryQueue, processor } from '../src/index.ts'

const logger = { warn() {}, error() {} }

/** A member that hands out what it is given, one call after another, and notes what is renewed. */
function memberOf(calls: (readonly Handed<string>[])[], renewed: string[][]): Member<string, string> {
  return {
    async take(_room, signal) {
      const next = calls.shift()
      if (next !== undefined) return next
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return []
    },
    async renew(held) {
      renewed.push(held.map(({ ticket }) => ticket))
      return []
    },
    start: async (handed) => ({ ...handed, how: 'now' }),
    finish: async () => 'ok',
    leave: async () => {},
  }
}

const entry = (ticket: string, how: Handed<string>['how']): Handed<string> => {
  return { how, mark: ticket, ticket, job: ticket, attempt: how === 'alone' ? 3 : 1 }
}

test('an entry that waits to run alone is renewed as what runs, until it has ended', async () => {
  const clock = manualClock()
  const renewed: string[][] = []
  const jobs: Jobs<string, string> = {
    join: () => memberOf([[entry('tea', 'now')], [entry('bomb', 'alone')]], renewed),
  }
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), { jobs })
  const ends = new Map<string, () => void>()
  const work = (job: string) =>
    new Promise<string>((resolve) => {
      ends.set(job, () => resolve('done'))
    })
  const worker = processor(queue, work, { concurrency: 2, idleClaim: '30s', clock, logger })
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  await soon()
  await clock.advance('10s')
  ends.get('tea')?.()
  await soon()
  await clock.advance('10s')
  ends.get('bomb')?.()
  await soon()
  await clock.advance('10s')
  expect(renewed).toEqual([['tea', 'bomb'], ['bomb']])
  await worker.stop()
})
