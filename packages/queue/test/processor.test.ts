import { expect, test } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { type Finished, type Handed, type Jobs, type Member, memoryQueue, processor } from '../src/index.ts'

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

test.each([undefined, { concurrency: 8 }])('a processor without work is an error at once: %p', (work) => {
  const queue = memoryQueue<string, string>({ name: 'orders', limit: 3, logger })
  const message = 'work: expected a function that does a job, got'
  expect(() => processor(queue, work as unknown as () => Promise<string>)).toThrow(message)
})

test.each(['redis://localhost', undefined, {}])(
  'a processor of no queue is an error that says so: %p',
  (queue) => {
    expect(() => processor(queue as never, async () => '')).toThrow(
      'queue: expected a queue such as streamQueue({ … }), got',
    )
  },
)

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

test('an entry that comes while a processor stops is renewed until what runs has ended, and goes back without an attempt', async () => {
  const clock = manualClock()
  const renewed: string[][] = []
  const left: string[] = []
  let comes = (_: readonly Handed<string>[]) => {}
  const late = new Promise<readonly Handed<string>[]>((resolve) => {
    comes = resolve
  })
  const takes = [Promise.resolve([entry('tea', 'now')]), late]
  const member: Member<string, string> = {
    ...memberOf([], renewed),
    take: async () => (await takes.shift()) ?? [],
    leave: async ({ unstarted }) => void left.push(...unstarted.map(({ ticket }) => ticket)),
  }
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), {
    jobs: { join: () => member },
  })
  let end = () => {}
  const work = () =>
    new Promise<string>((resolve) => {
      end = () => resolve('done')
    })
  const worker = processor(queue, work, { concurrency: 2, idleClaim: '30s', clock, logger })
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  await soon()
  const stopped = worker.stop()
  comes([entry('coffee', 'now')])
  await soon()
  await clock.advance('10s')
  await clock.advance('10s')
  end()
  await stopped
  expect([renewed, left]).toEqual([
    [
      ['coffee', 'tea'],
      ['coffee', 'tea'],
    ],
    ['coffee'],
  ])
})

// biome-ignore format: a table
test.each<[string, { timeout: '1s' | '5s' } | undefined, number, number]>([
  // stop                         options              each call fails after, ms   calls that take the processor out of the queue
  ['with a timeout that is over', { timeout: '1s' },   2000,                       1],
  ['before its timeout is over',  { timeout: '5s' },   2000,                       1],
  ['without a timeout',           undefined,           2000,                       1],
  ['of a queue that refuses',     undefined,           0,                          3],
])('while the queue does not answer, a stop %s tries to leave no more often than that', async (_title, options, ms, attempts) => {
  const clock = manualClock()
  const answer = async () => {
    if (ms > 0) await clock.sleep?.(ms, new AbortController().signal)
    throw new Error('no answer')
  }
  let left = 0
  const leave = () => {
    left++
    return answer()
  }
  const jobs: Jobs<string, string> = { join: () => ({ ...memberOf([], []), take: answer, leave }) }
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), { jobs })
  const worker = processor(queue, async () => 'done', { clock, logger })
  await new Promise((resolve) => setImmediate(resolve)) // it waits for an entry
  let isOver = false
  const stopping = worker.stop(options).then(() => {
    isOver = true
  })
  let seconds = 0
  while (!isOver && seconds < 20) {
    await clock.advance('1s')
    await new Promise((resolve) => setImmediate(resolve))
    seconds++
  }
  await stopping
  expect(left).toBe(attempts)
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

// biome-ignore format: a table
test.each<[string, boolean, string[]]>([
  // an entry that waits here for the end of its own attempt   is lost   attempts that run
  ['while another processor takes it',                         true,     ['1']],
  ['and that nobody else takes',                               false,    ['1', '2']],
])('an entry that waits for the end of its own attempt, %s', async (_title, isLost, expected) => {
  const again = { ...entry('tea', 'now'), attempt: 2 }
  let finished: (how: Finished) => void = () => {}
  const member: Member<string, string> = {
    ...memberOf([[entry('tea', 'now')], [again]], []),
    finish: (handed) =>
      handed.attempt === 1
        ? new Promise((resolve) => {
            finished = resolve
          })
        : Promise.resolve('ok'),
    renew: async (held) => (isLost ? held : []),
  }
  const jobs: Jobs<string, string> = { join: () => member }
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), { jobs })
  const attempts: string[] = []
  const work = async (_job: string, { attempt }: { readonly attempt: number }) => {
    attempts.push(String(attempt))
    throw new Error('sold out')
  }
  const worker = processor(queue, work, { concurrency: 2, clock: manualClock(), logger })
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  await soon()
  expect(attempts).toEqual(['1'])
  finished('lost')
  await soon()
  expect(attempts).toEqual(expected)
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

test.each([
  'concurrency',
  'batch',
  'idleClaim',
  'maxAttempts',
  'minInterval',
  'observers',
  'logger',
  'clock',
])('null is no %s, and not one left out', (path) => {
  const queue = memoryQueue<string, string>({ name: 'orders', limit: 3, logger })
  expect(() => processor(queue, async () => '', { logger, [path]: null })).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  )
})

/** What a processor makes of entries that it gets again while the first one runs: how often work began, and what it has ended. */
async function again(second: Handed<string>) {
  const ended: string[] = []
  const calls: (readonly Handed<string>[])[] = [[entry('tea', 'now')], [second]]
  const member: Member<string, string> = {
    ...memberOf(calls, []),
    finish: async ({ ticket, attempt }, { state }) => {
      ended.push(`${ticket} by attempt ${attempt}: ${state}`)
      return 'ok'
    },
  }
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), {
    jobs: { join: () => member },
  })
  const ends: (() => void)[] = []
  const work = () =>
    new Promise<string>((_, reject) => {
      ends.push(() => reject(new Error('sold out')))
    })
  const worker = processor(queue, work, { concurrency: 2, maxAttempts: 2, clock: manualClock(), logger })
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  await soon()
  await soon()
  let isStopped = false
  const stopped = worker.stop().then(() => {
    isStopped = true
  })
  while (!isStopped) {
    for (const end of ends) end()
    await soon()
  }
  await stopped
  return { began: ends.length, ended }
}

// biome-ignore format: a table
test.each([
  // how it gets it again, its attempt,  what has ended
  ['now' as const,         2,            'tea by attempt 2: failed'],
  ['spent' as const,       1,            'tea by attempt 1: again'],
])('work that runs is not begun again where its entry comes again: %s', async (how, attempt, end) => {
  expect(await again({ ...entry('tea', how), attempt })).toEqual({ began: 1, ended: [end] })
})

/**
 * Work ends while the queue hands its entry out to the same processor again: how often work began, and what has ended. The processor
 * learns of either first.
 */
async function takenFromItself(first: 'the take' | 'the end', reply: Finished) {
  const soon = () => new Promise((resolve) => setImmediate(resolve))
  const ended: string[] = []
  let began = 0
  let handOut = () => {}
  let say = () => {}
  const coming = [
    async () => [entry('tea', 'now')],
    () =>
      new Promise<readonly Handed<string>[]>((resolve) => {
        handOut = () => resolve([{ ...entry('tea', 'now'), attempt: 2 }])
      }),
  ]
  const member = memberOf([], [])
  const queue = Object.assign(memoryQueue<string, string>({ name: 'orders', limit: 3, logger }), {
    jobs: {
      join: (): Member<string, string> => ({
        ...member,
        take: (room, signal) => coming.shift()?.() ?? member.take(room, signal),
        finish: async ({ attempt }, { state }) => {
          ended.push(`attempt ${attempt}: ${state}`)
          if (attempt === 2) return 'ok'
          await new Promise<void>((resolve) => {
            say = resolve
          })
          return reply
        },
      }),
    },
  })
  const work = async () => {
    began++
    // What has failed may come again, and counts.
    if (reply === 'ok' && began === 1) throw new Error('spilt')
    return 'poured'
  }
  const worker = processor(queue, work, { concurrency: 2, clock: manualClock(), logger })
  await soon()
  for (const happen of first === 'the take' ? [handOut, say] : [say, handOut]) {
    happen()
    await soon()
  }
  await worker.stop()
  return { began, ended }
}

test.each(['the take', 'the end'] as const)(
  'work that has just ended is not done again where its processor has taken its entry from itself: %s is heard first',
  async (first) => {
    const ended = ['attempt 1: done', 'attempt 2: done']
    expect(await takenFromItself(first, 'lost')).toEqual({ began: 1, ended })
  },
)

test('the next attempt of failed work begins, though it comes before the end of the last one is heard', async () => {
  const ended = ['attempt 1: again', 'attempt 2: done']
  expect(await takenFromItself('the take', 'ok')).toEqual({ began: 2, ended })
})

const throwing = {
  toString() {
    throw new Error('no text')
  },
}

// biome-ignore format: a table
test.each([
  // what is thrown,                                                    the error that is kept
  ['nothing', undefined,                                                'undefined'],
  ['an object without a prototype', Object.create(null),                'an error without a text'],
  ['an object whose text throws', throwing,                             'an error without a text'],
  ['an error without a message', Object.assign(new Error(), { message: undefined }), 'undefined'],
  ['an error with a list of messages', Object.assign(new Error(), { message: ['no tea', 'no milk'] }), 'no tea,no milk'],
])('work that throws %s has failed, and its processor stops', async (_name, thrown, error) => {
  const queue = memoryQueue<string, string>({ name: 'orders', limit: 3, logger })
  const offer = await queue.offer('tea')
  const worker = processor(queue, () => Promise.reject(thrown), { maxAttempts: 1, clock: manualClock(), logger })
  await new Promise((resolve) => setImmediate(resolve))
  await worker.stop()
  const status = await queue.status(offer.allowed ? offer.ticket : '')
  expect(status).toEqual({ state: 'failed', error })
})

test('work has failed whose result throws what has no text when it is written as JSON', async () => {
  const queue = memoryQueue<string, object>({ name: 'orders', limit: 3, logger })
  const offer = await queue.offer('tea')
  const result = {
    toJSON() {
      throw Object.create(null)
    },
  }
  const worker = processor(queue, async () => result, { maxAttempts: 1, clock: manualClock(), logger })
  await new Promise((resolve) => setImmediate(resolve))
  await worker.stop()
  const error = 'the result cannot be written as JSON: an error without a text'
  expect(await queue.status(offer.allowed ? offer.ticket : '')).toEqual({ state: 'failed', error })
})
