import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  type Cure,
  changePassword,
  demote,
  failSaves,
  fill,
  forbid,
  occupy,
  RedisProcess,
  reload,
  until,
} from '../../src/index.ts'
import { RawClient } from './raw-client.ts'

const user = 'app'
const password = 'right'

let server: RedisProcess
beforeEach(async () => {
  server = await RedisProcess.prepare(['--user', user, 'on', `>${password}`, '~*', '+@all'])
  await server.start()
})
afterEach(() => server.end())

/** What a user hears who counts as a limiter does, in a script. */
async function heard(): Promise<string> {
  const client = await RawClient.to(server.url)
  const answers = (times: number) =>
    until(async () => client.heard.split('\r\n').length > times, { what: 'waiting for answers' })
  try {
    client.say(`AUTH ${user} ${password}`)
    await answers(1)
    if (client.heard.startsWith('-')) return client.heard
    client.say(`EVAL "return redis.call('INCR', KEYS[1])" 1 count`)
    await answers(2)
    return client.heard
  } finally {
    client.leave()
  }
}

describe('a Redis server', () => {
  // biome-ignore format: a table
  it.each<[string, string, (server: RedisProcess) => Promise<Cure>]>([
    // what befell it              the word   how
    ['that is full',               'OOM',       fill],
    ['that follows another',       'READONLY',  (server) => demote(server, { port: 1 })],
    ['that is busy',               'BUSY',      occupy],
    ['that loads',                 'LOADING',   (server) => reload(server, 1000)],
    ['whose saves fail',           'MISCONF',   failSaves],
    ['that forbids everything',    'NOPERM',    (server) => forbid(server, user)],
    ['whose password is another',  'WRONGPASS', (server) => changePassword(server, { user, password })],
  ])('%s answers %s, and counts on when it is cured', async (_what, word, befall) => {
    expect(await heard()).toBe('+OK\r\n:1\r\n')
    const cure = await befall(server)
    expect(await heard()).toContain(word)
    await cure()
    expect(await heard()).toBe('+OK\r\n:2\r\n')
  })

  it('that loads does so for as long as it is asked to', async () => {
    await heard()
    const cure = await reload(server, 1000)
    const startedAt = performance.now()
    await cure()
    expect(performance.now() - startedAt).toBeGreaterThan(800)
  })
})
