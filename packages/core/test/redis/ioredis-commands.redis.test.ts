import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { Command, Redis } from 'ioredis'
import { createLimiter, fixedWindow, redisStore } from '../../src/index.ts'
import { runFor, type Script, scriptOf } from '../../src/redis/connection.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'

const echo = scriptOf('return { KEYS[1], ARGV[1], #KEYS[1], #ARGV[1], 7 }')
const inBytes = scriptOf("return { 1, 'a\\255b' }", { bytes: true })
const failing = scriptOf("return redis.error_reply('WRONG ' .. KEYS[1])")
const counting = scriptOf("return redis.call('INCR', KEYS[1])")

let own: OwnServer
let client: Redis
beforeAll(async () => {
  own = await startOwnServer()
})
afterEach(() => client.disconnect())
afterAll(() => own.end())

type Run = (script: Script, key: string, arg?: string) => Promise<unknown>

/** A client that has sent each of the scripts once, so that they go by digest from now on. */
async function opened(options: object = {}, prepare: (client: Redis) => unknown = () => {}): Promise<Run> {
  client = new Redis({ port: own.server.port, ...options })
  client.on('error', () => {})
  prepare(client)
  const connection = fromIoredis(client)
  await connection.send('PING', [])
  const run: Run = (script, key, arg = '') =>
    new Promise((heard, failed) =>
      runFor(connection, script, { keys: [key], args: [arg] }, { heard, failed }),
    )
  for (const script of [echo, inBytes, counting, failing]) await run(script, 'first').catch(() => {})
  return run
}

/** The class of each script call by digest. */
function classesOf(client: Redis): string[] {
  const classes: string[] = []
  const send = client.sendCommand.bind(client)
  client.sendCommand = (command, stream) => {
    if (command.name === 'evalsha') classes.push(command.constructor.name)
    return send(command, stream)
  }
  return classes
}

describe('a script by digest over ioredis', () => {
  it.each([
    ['plain', 'plain'],
    ['ünïcödé 名前 🙂', 'é'],
    ['a lone surrogate \ud800.', '\udfff'],
    ['line\r\nbreak', '\r\n$1\r\nx'],
    ['', ''],
  ])('carries any key and argument as the client itself does: %j', async (key, arg) => {
    const run = await opened()
    const classes = classesOf(client)
    expect(await run(echo, key, arg)).toEqual(await client.evalsha(echo.sha, 1, key, arg))
    expect(classes).toEqual(['DigestCommand', 'Command'])
  })

  it('answers bytes where they are asked for', async () => {
    const run = await opened()
    expect(await run(inBytes, 'k')).toEqual([1, Buffer.from([0x61, 0xff, 0x62])])
  })

  it('is answered in the order in which it was sent among other commands, and fails alone', async () => {
    const run = await opened()
    const answers = [
      run(counting, 'order'),
      client.get('order'),
      run(failing, 'order'),
      run(counting, 'order'),
    ]
    expect(await Promise.allSettled(answers)).toMatchObject([
      { value: 1 },
      { value: '1' },
      {
        reason: { message: 'WRONG order', command: { name: 'evalsha', args: [failing.sha, 1, 'order', ''] } },
      },
      { value: 2 },
    ])
  })

  it('goes as text where the server has lost it, once for all that are under way', async () => {
    const run = await opened()
    await own.admin.script('FLUSH')
    const sent: string[] = []
    const send = client.sendCommand.bind(client)
    client.sendCommand = (command, stream) => {
      sent.push(command.name)
      return send(command, stream)
    }
    const counts = await Promise.all([1, 2, 3].map(() => run(counting, 'lost')))
    expect(counts).toEqual([1, 2, 3])
    await run(counting, 'lost')
    expect(sent).toEqual(['evalsha', 'evalsha', 'evalsha', 'eval', 'eval', 'eval', 'evalsha'])
  })
})

describe('a connection that ends while a script is under way', () => {
  /** The server answers nothing until the connection is gone. */
  async function cutDuring(run: Run, key: string): Promise<PromiseSettledResult<unknown>> {
    await own.admin.call('CLIENT', 'PAUSE', 60_000, 'WRITE')
    const answer = Promise.allSettled([run(counting, key)])
    const closed = once(client, 'close')
    client.stream.destroy()
    await closed
    await own.admin.call('CLIENT', 'UNPAUSE')
    return (await answer)[0]
  }

  it('is made anew, and the client sends the script again as it does any command', async () => {
    const run = await opened()
    expect(await cutDuring(run, 'again')).toMatchObject({ status: 'fulfilled' })
    expect(await run(echo, 'k')).toHaveLength(5)
  })

  it('fails the script where the client tries nothing again', async () => {
    const run = await opened({ maxRetriesPerRequest: 0 })
    expect(await cutDuring(run, 'given-up')).toMatchObject({ reason: { name: 'MaxRetriesPerRequestError' } })
  })

  it('refuses the next one, but not before that call has returned', async () => {
    await opened({ enableOfflineQueue: false })
    const connection = fromIoredis(client)
    await connection.send('PING', [])
    const told: string[] = []
    const call = { keys: ['k'], args: [''] }
    const failed = new Promise<unknown>((resolve) => {
      client.stream.destroy()
      const failed = (error: unknown) => {
        told.push('failed')
        resolve(error)
      }
      runFor(connection, echo, call, { heard: () => told.push('heard'), failed })
      told.push('returned')
    })
    expect(await failed).toMatchObject({ message: expect.stringContaining('enableOfflineQueue') })
    expect(told).toEqual(['returned', 'failed'])
  })

  it('is said to be no connection, and not that an option of the client is wrong', async () => {
    await opened({ enableOfflineQueue: false })
    const said: string[] = []
    const limiter = createLimiter({
      policy: fixedWindow({ limit: 5, window: '1m' }),
      store: redisStore(client),
      observers: [{ storeFailed: ({ error }) => void said.push(error?.message ?? '') }],
      logger: { warn() {}, error() {} },
    })
    await limiter.ready()
    client.stream.destroy()
    await limiter.check('bob')
    expect(said).toContain('not connected')
    expect(said.join()).not.toContain('enableOfflineQueue')
    await limiter.close()
  })
})

describe('the client sends a command of its own', () => {
  // biome-ignore format: a table
  it.each<[what: string, options: object, sent: string]>([
    ['a prefix for keys',       { keyPrefix: 'p:' },                'p:k'],
    ['a timeout of commands',   { commandTimeout: 10_000 },         'k'],
    ['friendly stacks',         { showFriendlyErrorStack: true },   'k'],
    ['automatic pipelines',     { enableAutoPipelining: true },     'k'],
  ])('where it is set to %s', async (_what, options, sent) => {
    const run = await opened(options)
    const classes = classesOf(client)
    expect(await run(echo, 'k')).toEqual([sent, '', sent.length, 0, 7])
    expect(classes).not.toContain('DigestCommand')
  })

  it('where something stands in the place of its method', async () => {
    const run = await opened({}, (client) => jest.spyOn(client, 'evalsha'))
    await run(echo, 'k')
    expect(client.evalsha).toHaveBeenCalledWith(echo.sha, 1, 'k', '')
  })

  it('where its commands have a member that is not known here', async () => {
    const face: object = Command.prototype
    Object.defineProperty(face, 'answeredLater', { value: () => {}, configurable: true })
    try {
      const run = await opened()
      const classes = classesOf(client)
      expect(await run(echo, 'k')).toEqual(['k', '', 1, 0, 7])
      expect(classes).toEqual(['Command'])
    } finally {
      Reflect.deleteProperty(face, 'answeredLater')
    }
  })
})

describe('those who watch commands', () => {
  /** Puts functions of its own in the place of a command's, as OpenTelemetry does, and calls these without their object. */
  function replacing(client: Redis, told: unknown[]): void {
    const send = client.sendCommand.bind(client)
    client.sendCommand = (command, stream) => {
      const sent = send(command, stream)
      const { resolve, reject } = command
      command.resolve = (reply) => {
        told.push([command.name, command.args.slice(1), 'answered'])
        resolve(reply)
      }
      command.reject = (error) => {
        told.push([command.name, command.args.slice(1), error.message])
        reject(error)
      }
      return sent
    }
  }

  /** Waits for a command's promise, as Datadog does. */
  function waiting(client: Redis, told: unknown[]): void {
    const send = client.sendCommand.bind(client)
    client.sendCommand = (command, stream) => {
      const about = [command.name, command.args.slice(1)]
      command.promise.then(
        () => told.push([...about, 'answered']),
        (error: Error) => told.push([...about, error.message]),
      )
      return send(command, stream)
    }
  }

  it.each([
    ['replace its functions', replacing],
    ['wait for its promise', waiting],
  ])('hear of a script by digest, where they %s', async (_how, watch) => {
    const run = await opened()
    const told: unknown[] = []
    watch(client, told)
    expect(await run(echo, 'k', 'a')).toEqual(['k', 'a', 1, 1, 7])
    await expect(run(failing, 'k')).rejects.toMatchObject({ message: 'WRONG k' })
    expect(told).toEqual([
      ['evalsha', [1, 'k', 'a'], 'answered'],
      ['evalsha', [1, 'k', ''], 'WRONG k'],
    ])
  })

  it('hear of it by the channels of Node', async () => {
    const run = await opened()
    const told: string[][] = []
    const channel = diagnostics.tracingChannel<unknown, { command: string; error?: Error }>('ioredis:command')
    const note = (when: string) => (about: unknown) =>
      void told.push([when, (about as { command: string }).command])
    const noted = { start: note('start'), asyncEnd: note('answered'), error: note('failed') }
    const watch = { end() {}, asyncStart() {}, ...noted }
    channel.subscribe(watch)
    await run(echo, 'k')
    // Behind the promise that the channel waits for.
    await own.admin.ping()
    await run(failing, 'k').catch(() => {})
    await own.admin.ping()
    channel.unsubscribe(watch)
    expect(told.filter(([, name]) => name === 'evalsha')).toEqual([
      ['start', 'evalsha'],
      ['answered', 'evalsha'],
      ['start', 'evalsha'],
      ['failed', 'evalsha'],
      ['answered', 'evalsha'],
    ])
  })
})
