import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { bundled } from '@sluice/faults/bundle'
import { RedisProcess } from '@sluice/faults/outage'
import { folderWith, sluiceWith } from '../sluice.ts'

/** docs/lists.md and docs/changing-limits.md promise it. */
const longestMs = 1000

const serviceProgram = bundled(path.join(__dirname, 'listed-service.ts'))
const folder = folderWith({})
let redis: RedisProcess
let services: readonly ChildProcess[] = []

beforeAll(async () => {
  redis = await RedisProcess.prepare([])
  await redis.start()
  const program = await serviceProgram()
  services = [1, 2].map(() => fork(program, [redis.url]))
  await Promise.all(services.map((service) => once(service, 'message')))
})
afterAll(async () => {
  for (const service of services) {
    service.kill()
    await once(service, 'exit')
  }
  await redis.end()
})

/** When each service first answers so; the machine's monotonic clock is the same in every process. */
async function whenAnswered(key: string, allowed: boolean): Promise<readonly number[]> {
  return Promise.all(
    services.map(async (service) => {
      const answered = once(service, 'message')
      service.send({ key, allowed })
      return Number((await answered)[0])
    }),
  )
}

/** From the end of the command to the last service that goes by it. */
async function inForceMs(key: string, allowed: boolean, command: readonly string[]): Promise<number> {
  const answered = whenAnswered(key, allowed)
  expect(await sluiceWith({ REDIS_URL: redis.url }, folder, ...command)).toMatchObject({ code: 0 })
  const endedMs = Number(process.hrtime.bigint()) / 1e6
  return Math.max(...(await answered)) - endedMs
}

it('what is listed by a command, and taken off again, is in force in every process within a second', async () => {
  const tookMs: number[] = []
  for (const key of ['alice', 'bob', 'carol']) {
    tookMs.push(await inForceMs(key, false, ['deny', key, '1h']))
    tookMs.push(await inForceMs(key, true, ['unlist', key]))
  }
  expect(Math.max(...tookMs)).toBeLessThan(longestMs)
})

it('what is changed by a command, and restored, is in force in every process within a second', async () => {
  const tookMs: number[] = []
  for (const key of ['dave', 'eve', 'frank']) {
    tookMs.push(await inForceMs(key, false, ['change', 'api', 'count=0']))
    tookMs.push(await inForceMs(key, true, ['restore', 'api']))
  }
  expect(Math.max(...tookMs)).toBeLessThan(longestMs)
})
