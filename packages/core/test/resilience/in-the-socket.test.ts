import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, guardedStore, type Store } from '../../src/index.ts'
import { Deadlines } from '../../src/waiting/deadlines.ts'

const deadlineMs = 50

/** This process does nothing else meanwhile. */
function standStill(untilMs: number): void {
  while (performance.now() < untilMs);
}

it('a reply that lies in the socket when the deadline passes is taken, as this process was late', async () => {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(path.join(import.meta.dirname, 'answering-thread.mjs'), { workerData: answered })
  const [port] = await once(thread, 'message')
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')

  const deadlines = new Deadlines('mine', deadlineMs)
  const bounded = deadlines.bound(once(socket, 'data').then(String))
  const sentMs = performance.now()
  socket.write('question')
  Atomics.wait(answered, 0, 0)
  standStill(sentMs + 2 * deadlineMs)
  expect(await bounded.catch((error: Error) => error.message)).toBe('answer')

  socket.destroy()
  await thread.terminate()
})

it('time in which this process stood still opens no circuit, as it heard no answer then', async () => {
  const store: Store = {
    name: 'mine',
    answer: ({ checks: [check] }) =>
      check?.key === 'away' ? Promise.reject(new Error('away')) : new Promise(() => {}),
    adjust: async () => {},
    manage: async () => {},
    close: async () => {},
  }
  const guarded = guardedStore(store, { deadline: 2 * deadlineMs })
  const policy = fixedWindow({ limit: 100, window: '1h' })
  const limiter = createLimiter({ policy, store: guarded, logger: { warn() {}, error() {} } })
  const slow = limiter.check('slow')
  for (let round = 0; round < 3; round++) {
    await limiter.check('away')
    standStill(performance.now() + 3 * deadlineMs)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(limiter.health().breaker).toBe('closed')
  expect((await slow).source).toBe('fallback')
  await limiter.close()
  await guarded.close()
})
