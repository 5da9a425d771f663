import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLimiter, gcra, type Limiter, redisStore, type Store } from '@sluice/core'
import { RedisProcess } from '@sluice/faults/outage'
import { type Operations, operations } from '@sluice/operations'
import { Redis } from 'ioredis'
import { pageText } from '../page-commands.ts'
import { folderWith, sluiceWith } from '../sluice.ts'

/** The first line of a page that sets a user. */
function rightsOn(page: string): readonly string[] {
  const [line = ''] = /^ACL SETUSER [^`]*/m.exec(pageText(page)) ?? []
  return line.trim().split(/\s+/).slice(1)
}

const ofLimiters = rightsOn('reliability.md')
const ofOperations = rightsOn('operations.md')
const added = ofOperations.filter((word) => word.startsWith('+'))
const folder = folderWith({})
const logger = { warn() {}, error() {} }
const policies = { free: gcra({ count: 5, period: '1h' }) }
let server: RedisProcess
let admin: Redis
let ops: Operations
let store: Store
let limiter: Limiter<typeof policies>

beforeAll(async () => {
  server = await RedisProcess.prepare([])
  await server.start()
  admin = new Redis({ port: server.port })
  await admin.call('ACL', ...ofLimiters)
  await admin.call('ACL', ...ofOperations)
  const redis = `redis://sluice:PASSWORD@127.0.0.1:${server.port}`
  ops = operations({ redis, deadline: '20s', logger })
  const limits = ops.limits(policies)
  store = redisStore(redis, { deadline: '20s', connectDeadline: '20s' })
  limiter = createLimiter({
    name: 'api',
    policies: limits.policies,
    store,
    observers: [ops],
    lists: [ops.lists],
    logger,
  })
  await ops.ready()
})
afterAll(async () => {
  await limiter.close()
  await ops.close()
  await store.close()
  admin.disconnect()
  await server.end()
})

const env = { REDIS_USERNAME: 'sluice', REDIS_PASSWORD: 'PASSWORD', USER: 'alice' }
const sluice = (line: string) =>
  sluiceWith({ REDIS_URL: `redis://127.0.0.1:${server.port}`, ...env }, folder, ...line.split(' '))

const lines = [
  'top',
  'inspect bob',
  'block bob 1h',
  'unblock bob --yes',
  'reset bob --yes',
  'deny 203.0.113.0/24 1d',
  'refuse alice 10m --limiter api',
  'allow 192.0.2.7 1h',
  'lists',
  'unlist 203.0.113.0/24',
  'limits',
  'change free count=3 --for 2h',
  'restore free',
  'acts',
]

/** All that a service and the command do; answers the lines that failed. */
async function useAll(): Promise<readonly string[]> {
  await limiter.check('bob')
  const failed: string[] = []
  for (const line of lines) {
    await ops.ready()
    const { code, stderr } = await sluice(line)
    if (code !== 0) failed.push(`${line}: ${stderr}`)
  }
  await ops.ready()
  return failed
}

/** What the server has refused the user since it was asked last, but for the name that clients send with each connection. */
async function refused(): Promise<readonly string[]> {
  const log = (await admin.call('ACL', 'LOG')) as string[][] // pairs of a name and a value
  await admin.call('ACL', 'LOG', 'RESET')
  const objects = log.map((entry) => entry[entry.indexOf('object') + 1] ?? '')
  return [...new Set(objects)].filter((object) => object !== 'client|setinfo' && object !== 'client')
}

it('a user of both pages may do all that services and the command do', async () => {
  expect(await useAll()).toEqual([])
  expect(await refused()).toEqual([])
  expect(ops.health()).toMatchObject({ status: 'ok' })
})

it.each(added)('%s is needed beside the rights of limiters', async (right) => {
  const command = right.slice(1)
  await admin.call('ACL', 'SETUSER', 'sluice', `-${command}`)
  await useAll()
  await admin.call('ACL', 'SETUSER', 'sluice', right)
  expect(await refused()).toEqual([command])
})
