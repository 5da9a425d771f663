import { expect, it } from '@jest/globals'
import { inRedis } from '@sluice/core/internal'
import { BlockingReader } from '../src/server.ts'

/** A connection that answers, or whose other end is gone. */
function connection(answers: boolean, closed: () => void): inRedis.Connection {
  return {
    run: () => Promise.reject(new Error('it runs no scripts')),
    send: () => (answers ? Promise.resolve('answer') : new Promise(() => {})),
    close: async () => closed(),
  }
}

it('a blocking read without an answer is given up, and the next one gets another connection', async () => {
  let closed = 0
  const all = [false, true, true].map((answers) => connection(answers, () => closed++))
  const connect = () => {
    const next = all.shift()
    if (next === undefined) throw new Error('there is no further connection')
    return next
  }
  const reader = new BlockingReader(() => new inRedis.BoundedConnection(connect(), 50))
  await expect(reader.send('BLPOP', [], 'key')).rejects.toMatchObject({ code: 'SLUICE_STORE' })
  expect(closed).toBe(1)
  expect([await reader.send('BLPOP', [], 'key'), await reader.send('BLPOP', [], 'key')]).toEqual([
    'answer',
    'answer',
  ])
  expect(all).toHaveLength(1)
  await reader.close()
  expect(closed).toBe(2)
})
