import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { redisStore } from '../../src/index.ts'
import { readClient } from '../../src/redis/client.ts'
import { type Connection, LoadedCluster, LoadedConnection, scriptOf } from '../../src/redis/connection.ts'

const src = path.resolve(__dirname, '../../src')

/** What is there once a file is imported: by `import()` nothing is, and types are not. */
function importedBy(file: string, known: Set<string> = new Set()): ReadonlySet<string> {
  if (known.has(file)) return known
  known.add(file)
  for (const [, what = '', from = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\b([^'"]*?)\bfrom '(\.[^']+)'/gm,
  ))
    if (!what.startsWith(' type ')) importedBy(path.join(path.dirname(file), from), known)
  return known
}

it.each(['index.ts', 'internal/index.ts', 'internal/in-redis.ts'])(
  'who imports %s has the code of no client of Redis, and no scripts',
  (entry) => {
    const files = [...importedBy(path.join(src, entry))].map((file) => path.relative(src, file))
    expect(files).toContain('redis/store.ts')
    const late = /^redis\/(clients\/|lua\.generated)/
    expect(files.filter((file) => late.test(file))).toEqual([])
  },
)

/** A connection that only notes what it is asked. */
class Noting implements Connection {
  readonly asked: string[] = []
  lost: (() => void) | undefined

  async run(_script: unknown, [key = '']: readonly string[]): Promise<unknown> {
    this.asked.push(`run ${key}`)
    return key
  }

  async send(command: string): Promise<unknown> {
    this.asked.push(`send ${command}`)
    return command
  }

  nodeOf(key: string): string {
    return `node of ${key}`
  }

  whenLost(lost: () => void): void {
    this.lost = lost
  }

  async close(): Promise<void> {
    this.asked.push('close')
  }
}

const script = scriptOf('return 1')

/** One whose code arrives when it is told to. */
function awaited() {
  const noting = new Noting()
  let arrive = (_there: Connection | Error): void => {}
  const load = () =>
    new Promise<Connection>((resolve, reject) => {
      arrive = (there) => (there instanceof Error ? reject(there) : resolve(there))
    })
  const connection = new LoadedCluster(load)
  return { noting, connection, arrive: (there: Connection | Error = noting) => arrive(there) }
}

it('what is asked before the code of a client is there keeps its order, also before what is asked just then', async () => {
  const { noting, connection, arrive } = awaited()
  const early = [
    connection.run(script, ['a'], []),
    connection.send('TIME', []),
    connection.run(script, ['b'], []),
  ]
  arrive()
  // Of the same moment, and asked again and again until all are through.
  const later = async () => {
    for (let i = 0; i < 8; i++) {
      void connection.run(script, [`later ${i}`], [])
      await undefined
    }
  }
  await Promise.all([later(), ...early])
  expect(noting.asked.slice(0, 3)).toEqual(['run a', 'send TIME', 'run b'])
})

it('a connection that is closed before its code is there is closed when it comes, behind what was asked', async () => {
  const { noting, connection, arrive } = awaited()
  const asked = connection.run(script, ['a'], [])
  const closed = connection.close()
  arrive()
  await Promise.all([asked, closed])
  expect(noting.asked).toEqual(['run a', 'close'])
})

it('where the code of a client cannot be loaded every call says so, and there is nothing to close', async () => {
  const { connection, arrive } = awaited()
  arrive(new Error('no such file'))
  await expect(connection.run(script, ['a'], [])).rejects.toThrow('no such file')
  await expect(connection.send('TIME', [])).rejects.toThrow('no such file')
  await connection.close()
})

it('a lost connection is noticed by who asked for that before its code was there', async () => {
  const { noting, connection, arrive } = awaited()
  let lost = 0
  connection.whenLost(() => lost++)
  arrive()
  await connection.run(script, ['a'], [])
  noting.lost?.()
  expect(lost).toBe(1)
})

it('a cluster names the server of a key once it is asked', async () => {
  const { connection, arrive } = awaited()
  expect(connection.nodeOf('a')).toBe('')
  arrive()
  await connection.run(script, ['a'], [])
  expect(connection.nodeOf('a')).toBe('node of a')
  expect('nodeOf' in new LoadedConnection(async () => new Noting())).toBe(false)
})

/** A node-redis client of one server that is opened and has no connection. */
class ConnectingClient extends EventEmitter {
  readonly isOpen = true
  readonly isReady = false
  select(): void {}
  async evalSha(): Promise<unknown> {
    throw new Error('never')
  }
  eval = this.evalSha
  sendCommand = this.evalSha
  withTypeMapping(): this {
    return this
  }
}

it('a node-redis client that fails in the same turn in which its connection is made is away, and its error ends nothing', async () => {
  const client = new ConnectingClient()
  const connection = readClient(client).connect()
  client.emit('error', new Error('refused'))
  await expect(connection.send('TIME', [])).rejects.toThrow('not connected')
  await connection.close()
})

it('a store that is closed in the turn in which it was made leaves no listener on the client of its caller', async () => {
  const client = new ConnectingClient()
  const store = redisStore(client)
  expect(client.eventNames()).not.toEqual([])
  await store.close()
  expect(client.eventNames()).toEqual([])
})
