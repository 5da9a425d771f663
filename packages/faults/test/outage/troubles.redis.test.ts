import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { type Cure, demote, failSaves, fill, occupy, RedisProcess, until } from '../../src/index.ts'
import { RawClient } from './raw-client.ts'

let server: RedisProcess
beforeEach(async () => {
  server = await RedisProcess.prepare()
  await server.start()
})
afterEach(() => server.end())

/** What one hears who counts as a limiter does, in a script. */
async function heard(): Promise<string> {
  const client = await RawClient.to(server.url)
  try {
    client.say(`EVAL "return redis.call('INCR', KEYS[1])" 1 count`)
    await until(async () => client.heard.endsWith('\r\n'), { what: 'waiting for an answer' })
    return client.heard
  } finally {
    client.leave()
  }
}

// biome-ignore format: a table
it.each<[string, string, (server: RedisProcess) => Promise<Cure>]>([
  // what befell it              the word   how
  ['that is full',               'OOM',       fill],
  ['that follows another',       'READONLY',  (server) => demote(server, { port: 1 })],
  ['that is busy',               'BUSY',      occupy],
  ['whose saves fail',           'MISCONF',   failSaves],
])('a Redis server %s answers %s, and counts on when it is cured', async (_what, word, befall) => {
  expect(await heard()).toBe(':1\r\n')
  const cure = await befall(server)
  expect(await heard()).toContain(word)
  await cure()
  expect(await heard()).toBe(':2\r\n')
})
