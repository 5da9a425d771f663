import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort, RedisCluster } from '@sluice/faults'
import { killPrograms } from '../program.ts'
import { buy, look, type RunningZoo, startZoo } from '../zoo.ts'

const limitsFile = path.resolve(__dirname, '../../limits.yaml')
const cluster = new RedisCluster()

beforeAll(() => cluster.start())
afterAll(async () => {
  await killPrograms()
  await cluster.end()
})

function redisFlags(ports: readonly number[]): readonly string[] {
  return ports.flatMap((port) => ['--redis', `redis://127.0.0.1:${port}`])
}

// biome-ignore format: a table
describe.each([
  // limits            flags
  ['of the program',   []],
  ['of a file',        ['--limits', limitsFile]],
])('zoos on one Redis Cluster with the limits %s', (_limits, flags) => {
  let zoos: readonly RunningZoo[] = []
  beforeAll(async () => {
    const redis = redisFlags(cluster.addresses.map(({ port }) => port))
    zoos = await Promise.all(
      ['express', 'koa'].map((framework) => startZoo('--framework', framework, ...redis, ...flags)),
    )
  })

  test('say so', async () => {
    const hosts = cluster.addresses.map(({ host, port }) => `${host}:${port}`).join(', ')
    for (const zoo of zoos) {
      expect(zoo.program.stdout).toContain(`, counted in Redis Cluster at ${hosts}\n`)
      expect(await look(zoo, 'owl')).toMatchObject({ store: 'redis' })
    }
  })

  test('sell exactly the limit together', async () => {
    const orders = Array.from({ length: 30 }, (_, i) =>
      zoos.map((zoo) => buy(zoo, 'lemur', { visitor: `visitor ${i}` })),
    )
    const answers = await Promise.all(orders.flat())
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30)
    for (const zoo of zoos) expect(await look(zoo, 'lemur')).toMatchObject({ store: 'redis', left: 0 })
  })

  test('know a visitor who was at the gate of the other one', async () => {
    const statuses = []
    for (const zoo of zoos) statuses.push((await buy(zoo, 'tiger', { visitor: 'bob', quantity: 4 })).status)
    expect(statuses).toEqual([201, 429])
    for (const zoo of zoos)
      expect(await look(zoo, 'tiger', 'bob')).toMatchObject({ left: 96, visitor: { mayBuy: false } })
    for (const { program } of zoos) expect(program.stderr).toBe('')
  })
})

test('a zoo that finds no Redis Cluster starts without it, and ends', async () => {
  const ports = [await freePort(), await freePort()]
  const zoo = await startZoo(...redisFlags(ports))
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(', ')
  expect(zoo.program.stdout).toContain(`, counted locally until Redis Cluster at ${hosts} answers\n`)
  expect((await buy(zoo, 'lemur', { visitor: 'bob' })).status).toBe(201)
  expect(await look(zoo, 'lemur')).toMatchObject({ store: 'local', left: 29 })
  zoo.program.signal('SIGTERM')
  expect(await zoo.program.ended()).toBe(0)
})
