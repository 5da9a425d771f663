import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { expectFacts, reported } from '../crowd/reported.ts'
import { killAll, startCrowd } from '../crowd/running.ts'

let server: RedisProcess

beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})

afterAll(async () => {
  await killAll()
  await server.end()
})

it('counts and records in Redis if asked to, and shows the same', async () => {
  const only = ['--only', 'log', 'gang', 'pair']
  expectFacts(await reported('40', '30', '--seconds', '1', '--redis', server.url, ...only), 30)
  const client = new Redis(server.url)
  const keys = await client.keys('*')
  await client.quit()
  expect(keys).toContainEqual(expect.stringMatching(/^sl3:\{everybody\}:crowd log:everybody:/))
  // Beside what is counted stands what is recorded.
  expect(keys).toContainEqual(expect.stringMatching(/:hits:crowd log:everybody/))
})

it('ends with a sentence where Redis does not answer, and shows no password', async () => {
  await server.kill()
  const url = server.url.replace('redis://', 'redis://user:secret@')
  const { code, stdout, stderr } = await (await startCrowd('4', '3', '--redis', url)).ended
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr.split('\n').at(-2)).toBe(`error: no answer from Redis at ${new URL(url).host}`)
  expect(stderr).not.toContain('secret')
})
