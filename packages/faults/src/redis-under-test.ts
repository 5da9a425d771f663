import type { StoreUnderTest } from '@sluice/conformance'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import { baseUs } from '@sluice/conformance/internal'
import type { Check, InLine, IoredisLike, NodeRedisLike, Policy, Store } from '@sluice/core'
import { gcra, reservable } from '@sluice/core'
import { inRedis, stores } from '@sluice/core/internal'
import { Redis as Redis5 } from 'ioredis5'
import { type Cluster, Redis } from 'ioredis6'
import { createClient as createClient5 } from 'redis5'
import { createClient } from 'redis6'
import { testIncludes } from './test-lua.generated.ts'

const { time = '', expiry = '' } = testIncludes

export type ServerClientName = 'ioredis 5' | 'ioredis 6' | 'node-redis 5' | 'node-redis 6'

const plain = everyStrategy(1, '10s')
const windows = [plain.fixedWindow, plain.slidingWindowCounter, plain.slidingWindowLog, plain.multiWindow]
/** Policies of all strategies. */
const policies = [...Object.values(plain), ...windows.map((policy) => reservable(policy))]
const blocking = gcra({ count: 1, period: '10s', blockFor: '10s' })

/** An application's own client, what Sluice makes of it, and how to end it. */
export interface Connected<Client = IoredisLike | NodeRedisLike> {
  readonly client: Client
  readonly connection: inRedis.Connection
  end(): void
}

/** The same store under other names: `rename` gives each check another key, or another id. */
export function renamed(subject: StoreUnderTest, rename: (check: Check) => Check): StoreUnderTest {
  const { store, lifeUs, stored } = subject
  const named: Store = {
    name: store.name,
    can: store.can,
    answer: (question) => store.answer({ ...question, checks: question.checks.map(rename) }),
    adjust: (changes) => store.adjust(changes.map((change) => ({ ...change, check: rename(change.check) }))),
    ...(store.line === undefined
      ? {}
      : {
          line: (callers: readonly InLine[]) =>
            store.line?.(callers.map((each) => ({ ...each, check: rename(each.check) }))) ?? [],
        }),
    renew: (held) => store.renew?.(held.map((each) => ({ ...each, check: rename(each.check) }))) ?? [],
    manage: (command) => store.manage({ ...command, check: rename(command.check) }),
    close: () => store.close(),
  }
  return {
    ...subject,
    store: named,
    ...(lifeUs === undefined ? {} : { lifeUs: (check: Check) => lifeUs(rename(check)) }),
    ...(stored === undefined ? {} : { stored: (check: Check) => stored(rename(check)) }),
  }
}

export interface VirtualTime {
  /** Whether keys expire in virtual time too; false: as on a server whose clock steps back. @default true */
  readonly expires?: boolean
  /** @default 0 */
  readonly deadlineUs?: number
  /** How far the clock of the server that holds a key is ahead of the others'. @default 0 */
  readonly aheadUs?: (key: string) => number
  /** For how long refusals are repeated. @default 0 */
  readonly refusalsUs?: number
  /** Whether each policy that is asked for alone has a script of its own, as those of a limiter have. @default false */
  readonly constant?: boolean
}

/**
 * The scripts of the Redis store on a real server, in virtual time: only the pieces that read TIME and give lives are replaced.
 */
export async function redisUnderTest(
  socket: string,
  { client = 'ioredis 6', ...options }: VirtualTime & { readonly client?: ServerClientName } = {},
): Promise<StoreUnderTest> {
  return inVirtualTime(await connectTo(client, socket), new Redis({ path: socket }), options)
}

/**
 * The store over a connection of its own. Each script call carries the instant that it runs at. `client` is the test's own, to look at
 * keys.
 */
export function inVirtualTime(
  { connection, end }: Pick<Connected, 'connection' | 'end'>,
  client: Redis | Cluster,
  { expires = true, deadlineUs = 0, aheadUs = () => 0, refusalsUs = 0, constant = false }: VirtualTime,
): StoreUnderTest {
  let nowUs = baseUs
  const run = connection.run.bind(connection)
  const runFor = connection.runFor?.bind(connection)
  const withInstant = (keys: readonly string[], args: readonly inRedis.Argument[]) => [
    ...args,
    expires ? 'yes' : 'no',
    nowUs + aheadUs(keys[0] ?? ''),
  ]
  connection.run = (script, keys, args) => run(script, keys, withInstant(keys, args))
  if (runFor !== undefined)
    connection.runFor = (script, { keys, args }, listener) =>
      runFor(script, { keys, args: withInstant(keys, args) }, listener)
  // With a deadline, the process's clock goes on by itself, and a test moves only the server's.
  const clock = deadlineUs > 0 && refusalsUs === 0 ? undefined : { nowUs: () => nowUs }
  const includes = { time, expiry }
  const mark = crypto.randomUUID().slice(0, 8)
  let calls = 0
  // All stores made here share one order of calls: of two processes' calls at one instant, nothing would tell which is the later.
  const nextCall = () => mark + (calls++).toString(36)
  const parts = { prefix: '', deadlineUs, clock, refusalsUs, includes, nextCall }
  const store = new inRedis.RedisStore({ ...parts, connection })
  // Prepared first, as limiters do: otherwise the scripts of several strategies are made anew with each strategy that is added.
  store.prepare(policies, { constant: false })
  store.prepare([blocking, ...policies], { constant: false })
  if (constant) asksByConstants(store, { ...parts, connection: onlyToAsk(connection) })
  return {
    store,
    // With scripts by constants, several stores send independently.
    keepsOrder: !constant,
    async setClock(us) {
      nowUs = us
    },
    async lifeUs(check) {
      const [exists, goneUs] = await Promise.all([
        client.exists(stores.stateName(check)),
        client.get(`test:gone_us:${stores.stateName(check)}`),
      ])
      const leftUs = Number(goneUs) - nowUs
      return exists === 1 && leftUs > 0 ? leftUs : null
    },
    async stored(check) {
      // A key whose life is over may have been put out of sight: it is stored all the same.
      const dump =
        (await client.dumpBuffer(stores.stateName(check))) ??
        (await client.dumpBuffer(`test:hidden:${stores.stateName(check)}`))
      return dump?.toString('hex') ?? null
    },
    async close() {
      await store.close()
      end()
      client.disconnect()
    },
  }
}

/** A store has scripts for this many policies at most. */
const policiesOfStore = 64

/** Makes a store ask by further stores, as one store has scripts for few policies. */
function asksByConstants(
  store: inRedis.RedisStore,
  parts: ConstructorParameters<typeof inRedis.RedisStore>[0],
): void {
  const ownOf = new WeakMap<Policy, inRedis.RedisStore>()
  const answer = store.answer.bind(store)
  let newest = store
  let room = 0
  store.answer = (question) => {
    const [check, second] = question.checks
    if (check === undefined || second !== undefined) return answer(question)
    let own = ownOf.get(check.policy)
    if (own === undefined) {
      if (room === 0) {
        newest = new inRedis.RedisStore(parts)
        room = policiesOfStore
      }
      room--
      own = newest
      own.prepare([check.policy], { constant: true })
      ownOf.set(check.policy, own)
    }
    return own.answer(question)
  }
}

/** The same connection for further stores, which come and go. */
function onlyToAsk(connection: inRedis.Connection): inRedis.Connection {
  return {
    run: (script, keys, args) => connection.run(script, keys, args),
    ...(connection.runFor !== undefined && {
      runFor: (script, call, listener) => connection.runFor?.(script, call, listener),
    }),
    send: (command, args, key) => connection.send(command, args, key),
    close: async () => {},
  }
}

type NodeRedisClient = NodeRedisLike & { connect(): Promise<unknown>; destroy(): void }

export function overIoredis(client: IoredisLike & { disconnect(): void }): Connected {
  return { client, connection: inRedis.readClient(client).connect(), end: () => client.disconnect() }
}

export async function overNodeRedis(client: NodeRedisClient): Promise<Connected> {
  await client.connect()
  return { client, connection: inRedis.readClient(client).connect(), end: () => client.destroy() }
}

/** A client of one server, as an application makes it. */
export async function connectTo(client: ServerClientName, socket: string): Promise<Connected> {
  switch (client) {
    case 'ioredis 5':
      return overIoredis(new Redis5({ path: socket }))
    case 'ioredis 6':
      return overIoredis(new Redis({ path: socket }))
    case 'node-redis 5':
      return overNodeRedis(createClient5({ socket: { path: socket, tls: false } }))
    case 'node-redis 6':
      return overNodeRedis(createClient({ socket: { path: socket, tls: false } }))
  }
}
