import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, guardedStore, memoryStore, type Store } from '../../src/index.ts'
import { Deadlines } from '../../src/waiting/deadlines.ts'

const deadlineMs = 50

/** This process does nothing else meanwhile. */
function standStill(untilMs: number): void {
  while (performance.now() < untilMs);
}

/** Another thread that answers questions over a socket. */
async function answering() {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(path.join(import.meta.dirname, 'answering-thread.mjs'), { workerData: answered })
  const [port] = await once(thread, 'message')
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const end = async () => {
    socket.destroy()
    await thread.terminate()
  }
  return { answered, socket, end }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

it('a reply that lies in the socket when the deadline passes is taken, as this process was late', async () => {
  const { answered, socket, end } = await answering()
  const deadlines = new Deadlines('mine', deadlineMs)
  const bounded = deadlines.bound(once(socket, 'data').then(String))
  const sentMs = performance.now()
  socket.write('question')
  Atomics.wait(answered, 0, 0)
  standStill(sentMs + 2 * deadlineMs)
  expect(await bounded.catch((error: Error) => error.message)).toBe('answer')
  await end()
})

/** A limiter over a store that fails at once for one key, answers late about another, and asks the thread about all others. */
async function halfAway(deadline: '100ms' | '1h') {
  const { answered, socket, end } = await answering()
  const inner = memoryStore()
  const store: Store = {
    name: 'mine',
    async answer(question) {
      if (question.checks[0]?.key.endsWith('away')) throw new Error('away')
      if (question.checks[0]?.key.endsWith('slow')) return new Promise(() => {})
      const answer = once(socket, 'data')
      socket.write('question')
      await answer
      return inner.answer(question)
    },
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    close: async () => end(),
  }
  const guarded = guardedStore(store, { deadline })
  const policy = fixedWindow({ limit: 100, window: '1h' })
  const limiter = createLimiter({ policy, store: guarded, logger: { warn() {}, error() {} } })
  const close = async () => {
    await limiter.close()
    await guarded.close()
  }
  return { answered, limiter, close }
}

describe('what fails at once opens no circuit while others are answered', () => {
  it('as their answers lie in the socket', async () => {
    const { answered, limiter, close } = await halfAway('1h')
    const well = limiter.check('well')
    await limiter.check('away')
    Atomics.wait(answered, 0, 0)
    for (let round = 1; round < 3; round++) {
      standStill(performance.now() + 80)
      expect((await limiter.check('away')).source).toBe('fallback')
    }
    expect((await well).source).toBe('mine')
    expect(limiter.health().breaker).toBe('closed')
    await close()
  })

  it('as it stood still, and so did perhaps whoever answers', async () => {
    const { limiter, close } = await halfAway('100ms')
    const slow = limiter.check('slow')
    for (let round = 0; round < 3; round++) {
      await limiter.check('away')
      standStill(performance.now() + 150)
      await turns(3)
    }
    expect(limiter.health().breaker).toBe('closed')
    expect((await slow).source).toBe('fallback')
    await close()
  })
})
