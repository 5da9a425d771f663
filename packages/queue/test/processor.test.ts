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

test('work that fails for the last time has failed by its own error, and is not tried again', async () => {
  const clock = manualClock()
  const queue = memoryQueue<string, string>({ name: 'orders', limit: 3, clock, logger })
  const offer = await queue.offer('tea')
  let attempts = 0
  const work = async () => {
    throw new Error(`sold out ${++attempts}`)
  }
  const worker = processor(queue, work, { maxAttempts: 2, clock, logger })
  for (let second = 0; second < 5; second++) {
    await new Promise((resolve) => setImmediate(resolve))
    await clock.advance('1s')
  }
  const status = await queue.status(offer.allowed ? offer.ticket : '')
  expect(status).toEqual({ state: 'failed', error: 'sold out 2' })
  expect(attempts).toBe(2)
  await worker.stop()
})

test('work whose entry another processor has is told so by its signal', async () => {
  const clock = manualClock()
  const member = {
    ...memberOf([[entry('tea', 'now')]], []),
    renew: async (held: readonly Handed<string>[]) => held,
  }
  const jobs: Jobs<string, string> = { join: () => member }
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), { jobs })
  let reason: unknown
  const work = (_job: string, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
        resolve('done')
      })
    })
  const worker = processor(queue, work, { idleClaim: '30s', clock, logger })
  await new Promise((resolve) => setImmediate(resolve))
  await clock.advance('10s')
  expect(reason).toMatchObject({ code: 'SLUICE_QUEUE_ENTRY_TAKEN' })
  await worker.stop()
})

test.each(['concurrency', 'batch', 'idleClaim', 'maxAttempts', 'minInterval'])(
  'null is no %s, and not one left out',
  (path) => {
    const queue = memoryQueue<string, string>({ name: 'orders', limit: 3, logger })
    expect(() => processor(queue, async () => '', { [path]: null, logger })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    )
  },
)
