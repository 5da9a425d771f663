import { afterAll, afterEach, beforeAll, describe, expect, it, jest, test } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { listQueue, processor, type Queue, streamQueue } from '@sluice/queue'
import { Redis } from 'ioredis6'
import { commandsCalled } from './acl.ts'
import { onServer, takesSetInfo } from './on-server.ts'
import { blocksOf, page } from './pages.ts'

const queues = page('docs/queues.md')
const [line = ''] = blocksOf(queues)
  .filter(({ code }) => code.startsWith('ACL SETUSER'))
  .map(({ code }) => code)
const words = line.trim().split(/\s+/)
const logger = { warn: () => {}, error: () => {} }
const job = { visitor: 'b'.repeat(26) }

let server: RedisProcess
let client: Redis
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  client = new Redis(server.url)
})
afterAll(() => {
  client.disconnect()
  return server.end()
})

test('the ACL line permits what the scripts of queues and their callers use, and nothing else', () => {
  const callers = ['eval', 'evalsha', 'time', 'info', 'brpop', 'xreadgroup']
  const used = [...new Set([...callers, ...commandsCalled('lua/queue')])].sort()
  const permitted = words.filter((word) => word.startsWith('+'))
  expect(permitted.map((word) => word.slice(1)).sort()).toEqual(used)
})

/** Until a job is done that comes last. */
async function useAll(queue: Queue<typeof job, unknown>): Promise<void> {
  await queue.ready()
  const offer = await queue.offer(job)
  expect(offer).toMatchObject({ allowed: true })
  expect(await queue.offer(job)).toMatchObject({ reason: 'full' })
  if (offer.allowed) expect(await queue.status(offer.ticket)).toMatchObject({ state: 'waiting' })
  let attempts = 0
  const done = new Promise<void>((resolve) => {
    const worker = processor(
      queue,
      async () => {
        attempts++
        setImmediate(() => void worker.stop().then(resolve))
        throw new Error('spilled')
      },
      { maxAttempts: 1, logger },
    )
  })
  await done
  expect(attempts).toBe(1)
  expect(await queue.health()).toMatchObject({ waiting: 0, running: 0 })
  await queue.close()
}

describe('a user of that line', () => {
  const withUser = () => server.url.replace('redis://', 'redis://sluice:PASSWORD@')
  const setInfo = takesSetInfo ? ['+client|setinfo'] : []
  beforeAll(() => client.call('ACL', ...words.slice(1), ...setInfo))

  it.each([
    [
      'a stream',
      () =>
        streamQueue<typeof job, unknown>({
          name: 'acl',
          redis: withUser(),
          limit: 1,
          deadline: '10s',
          logger,
        }),
    ],
    [
      'a list',
      () => listQueue<typeof job>({ name: 'acl', redis: withUser(), limit: 1, deadline: '10s', logger }),
    ],
  ])('may do all that %s does', async (_what, make) => {
    await useAll(make())
    expect(await client.call('ACL', 'LOG')).toEqual([])
  })
})

describe('the table of costs', () => {
  afterEach(() => void jest.restoreAllMocks())

  const rowOf = (form: string) => {
    const [, row = ''] = new RegExp(`^\\| ${form} \\|(.*)\\|$`, 'm').exec(queues.text) ?? []
    const [bytes = '', offer = '', refusal = ''] = row
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
    return { bytes: Number(bytes), offer, refusal }
  }

  const forms: readonly (readonly [
    form: string,
    keys: readonly string[],
    make: (name: string) => Queue<typeof job, unknown>,
  ])[] = [
    [
      'stream',
      ['e', 't'],
      (name) =>
        streamQueue<typeof job, unknown>({ name, redis: client, limit: 1000, deadline: '10s', logger }),
    ],
    [
      'list',
      ['l'],
      // Jobs are offered alike.
      (name) =>
        listQueue<typeof job>({
          name,
          redis: client,
          limit: 1000,
          deadline: '10s',
          logger,
        }) as unknown as Queue<typeof job, unknown>,
    ],
  ]
  const [, measured = ''] = /measured on (\w+ [\d.]+) by the tests/.exec(queues.text) ?? []
  const { ofSizes, why } = onServer(measured)

  it.each(forms)('says what commands a %s runs', async (form, _keys, make) => {
    const queue = make('commands')
    // Once a second an offer reads the measurements too: this second does not end.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (let i = 0; i < 999; i++) await queue.offer(job)
    const row = rowOf(form)
    expect(await commandsOf(() => queue.offer(job))).toBe(row.offer)
    expect(await commandsOf(() => queue.offer(job))).toBe(row.refusal)
    await queue.close()
  })

  ofSizes.each(forms)(`says how many bytes a job in a %s takes${why}`, async (form, keys, make) => {
    const queue = make('bytes')
    while ((await queue.offer(job)).allowed);
    await queue.close()
    const sizes = await Promise.all(
      keys.map((key) => client.memory('USAGE', `sl1:{queue:bytes}:${key}`, 'SAMPLES', 0)),
    )
    const bytes = sizes.reduce<number>((sum, size) => sum + Number(size), 0) / 1000
    const row = rowOf(form)
    // Allocators differ a little, a wrong number differs more.
    expect({ bytes, near: Math.abs(bytes / row.bytes - 1) < 0.25 }).toEqual({ bytes, near: true })
  })
})

/** The commands of the script that `call` runs. */
async function commandsOf(call: () => Promise<unknown>): Promise<string> {
  const monitor = await client.monitor()
  const called: string[] = []
  const over = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, [command = '']: string[], source: string) => {
      if (source === 'lua') called.push(command.toUpperCase())
      else if (command.toUpperCase() === 'ECHO') resolve()
    })
  })
  await call()
  await client.echo('over')
  await over
  monitor.disconnect()
  return called.join(' ')
}
