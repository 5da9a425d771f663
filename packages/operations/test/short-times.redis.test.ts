import { randomBytes } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { gcra } from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { operations, readOperations } from '../src/index.ts'

const seconds = (what: string) =>
  expect.stringContaining(`SLUICE_SHORT_TIME: ${what} is 60 ms: for seconds write '60s'`)

it.each([
  [60, [seconds('the time of lists.put')], [seconds('for of limits.set')]],
  ['60ms', [], []],
  [60_000, [], []],
] as const)('a list or a limit that is changed for %p', async (time, ofLists, ofLimits) => {
  const client = new Redis({ path: socket })
  const said: string[] = []
  const options = {
    redis: client,
    prefix: `short-${randomBytes(6).toString('hex')}:`,
    deadline: '20s',
    logger: { warn: (text: string) => void said.push(text), error() {} },
  } as const
  const place = { list: 'deny', key: 'bob' } as const
  const heard = () => said.splice(0)

  const ops = operations(options)
  await ops.lists.put(place, time)
  expect(heard()).toEqual(ofLists)
  const reader = readOperations(options)
  await reader.lists.put(place, time)
  expect(heard()).toEqual(ofLists)
  await ops.close()
  await reader.close()

  const others = operations(options)
  await others.limits({ free: gcra({ count: 5, period: '1h' }) }).set('free', { count: 2 }, { for: time })
  expect(heard()).toEqual(ofLimits)
  const otherReader = readOperations(options)
  await otherReader.limits.set('free', { count: 2 }, { for: time })
  expect(heard()).toEqual(ofLimits)
  await others.close()
  await otherReader.close()
  client.disconnect()
})

it.each([
  [60, [seconds('the window of policy "free"')]],
  ['60ms', []],
  [60_000, []],
] as const)('a service says of a period of %p that a program elsewhere has set', async (period, said) => {
  const client = new Redis({ path: socket })
  const heard: string[] = []
  const options = {
    redis: client,
    prefix: `short-${randomBytes(6).toString('hex')}:`,
    deadline: '20s',
    logger: { warn: (text: string) => void heard.push(text), error() {} },
  } as const
  const ops = operations(options)
  const limits = ops.limits({ free: gcra({ count: 5, period: '1h' }) })
  const reader = readOperations({ ...options, logger: { warn() {}, error() {} } })

  await reader.limits.set('free', { period })
  await ops.ready()
  expect(limits.now('free')).not.toMatchObject({ windowMs: 3_600_000 })
  expect(heard).toEqual(said)
  await ops.close()
  await reader.close()
  client.disconnect()
})
