import { expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { figures } from '../../src/plan/figures.ts'
import { bound, openFiller, plannedBytes } from '../plan/filled.ts'
import { given } from '../plan/given.ts'

it('a million keys of three policies take what the plan says', async () => {
  const server = await RedisProcess.prepare()
  await server.start()
  const filler = await openFiller(server)
  const policy = ['slidingWindowLog:100/6h', 'gcra:4/1d', 'fixedWindow:1000/1d']
  const settings = given({ users: '333334', policy, rate: '1/6h', keyLength: '20' })
  const { keys, bytes } = await filler.fill(settings, 1)
  await filler.end()
  await server.end()
  expect(keys).toBe(1_000_002)
  expect(Math.abs(plannedBytes(settings, figures) / bytes - 1)).toBeLessThan(bound)
})
