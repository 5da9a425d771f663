import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { freePort } from '@sluice/faults/outage'
import { killPrograms, type Program, until } from '../program.ts'
import { startRedis } from '../redis.ts'
import { buy, look, type RunningZoo, startZoo } from '../zoo.ts'

const away = /Redis does not answer \(.+\): counting locally, in this process, until it does\.\n/
const back = /Redis answers again, after [\d.]+ s: counting there\.\n/

let port = 0
let redis: Program
let zoo: RunningZoo

beforeEach(async () => {
  port = await freePort()
})

afterEach(killPrograms)

function start(): Promise<RunningZoo> {
  return startZoo('--framework', 'fastify', '--redis', `redis://127.0.0.1:${port}`)
}

/** No request waits for Redis longer than that, whatever Redis does; one may have met a busy machine. */
async function expectPrompt(): Promise<void> {
  const took: number[] = []
  for (let i = 0; i < 10; i++) {
    const start = performance.now()
    const { status } = await buy(zoo, 'seal', { visitor: 'bob' })
    took.push(performance.now() - start)
    expect(status).toBe(201)
  }
  expect(took.sort((a, b) => a - b).at(-2)).toBeLessThan(150)
}

async function expectBack(): Promise<void> {
  await zoo.program.prints(back)
  expect(await look(zoo, 'owl')).toMatchObject({ store: 'redis' })
  expect(zoo.program.stderr).toMatch(new RegExp(`^${away.source}${back.source}$`))
}

test('a zoo whose Redis is killed goes on, says so, and is glad to have it back', async () => {
  redis = await startRedis(port)
  zoo = await start()
  await buy(zoo, 'seal', { visitor: 'bob' })
  expect(zoo.program.stderr).toBe('')
  await redis.kill()
  await expectPrompt()
  await zoo.program.prints(away)
  expect(await look(zoo, 'seal')).toMatchObject({ store: 'local', visitor: null })
  // What is accepted must not be lost: a queue goes on nowhere else.
  const refused = await buy(zoo, 'meerkat', { visitor: 'bob' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await look(zoo, 'meerkat')).toMatchObject({ left: 0, queue: null })
  redis = await startRedis(port)
  await expectBack()
  await until('place', async () => (await buy(zoo, 'meerkat', { visitor: 'bob' })).status === 202)
})

test('a zoo that finds no Redis starts without it', async () => {
  zoo = await start()
  expect(zoo.program.stdout).toContain(`, counted locally until Redis at 127.0.0.1:${port} answers\n`)
  await zoo.program.prints(away)
  expect(await look(zoo, 'owl')).toMatchObject({ store: 'local' })
  await expectPrompt()
  redis = await startRedis(port)
  await expectBack()
})

test('a zoo closes while Redis hangs', async () => {
  redis = await startRedis(port)
  zoo = await start()
  redis.signal('SIGSTOP')
  await until('answer without Redis', async () => (await look(zoo, 'owl')).store === 'local')
  zoo.program.signal('SIGTERM')
  expect(await zoo.program.ended()).toBe(0)
})
