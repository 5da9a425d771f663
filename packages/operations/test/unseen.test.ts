import { afterEach, expect, it } from '@jest/globals'
import { createLimiter, gcra } from '@sluice/core'
import { type Operations, operations } from '../src/index.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function open(said: string[]): Operations {
  const logger = { warn: (text: string) => said.push(text), error() {} }
  const ops = operations({ redis: 'redis://127.0.0.1:1', deadline: '1s', logger })
  const limiter = createLimiter({ policy: gcra({ count: 1, period: '1s' }), observers: [ops] })
  ends.push(
    () => limiter.close(),
    () => ops.close(),
  )
  return ops
}

it('a process that has never written to Redis warns once, and says why', async () => {
  const said: string[] = []
  const ops = open(said)
  await ops.ready()
  await ops.ready()
  expect(said).toEqual([expect.stringMatching(/^\[sluice\] SLUICE_OPERATIONS_UNSEEN: .*ECONNREFUSED/)])
  expect(ops.health().status).toBe('down')
})

it('one that is closed before it could write says nothing', async () => {
  const said: string[] = []
  await open(said).close()
  await new Promise(setImmediate)
  expect(said).toEqual([])
})
