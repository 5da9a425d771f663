import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults'
import { figures } from '../../src/plan/figures.ts'
import { bound, fill, plannedBytes } from '../plan/filled.ts'
import { given } from '../plan/given.ts'

let server: RedisProcess
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterAll(() => server.end())

it('a million keys of three policies take what the plan says', async () => {
  const policy = ['slidingWindowLog:100/6h', 'gcra:4/1d', 'fixedWindow:1000/1d']
  const settings = given({ users: '333334', policy, rate: '3/6h', keyLength: '20' })
  const { keys, bytes } = await fill(server, settings, { times: 3 })
  expect(keys).toBe(1_000_002)
  expect(Math.abs(plannedBytes(settings, figures) / bytes - 1)).toBeLessThan(bound)
}, 300_000)
