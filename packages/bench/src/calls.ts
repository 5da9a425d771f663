import { createLimiter, type Policy, redisStore, type Store } from '@sluice/core'
import type { Redis } from 'ioredis'
import { keysOf, narrow, severalGcra, wide } from './policies.ts'
import { type Contender, disturbed } from './rounds.ts'
import { silent } from './silent.ts'

/** One kind of call to Redis, and its command. */
export interface CallKind {
  readonly name: string
  readonly command: 'incr' | 'evalsha'
  ask(i: number): Promise<unknown>
  /** Returns false for an answer that must not be measured, such as one of the fallback. */
  isRight(answer: unknown): boolean
}

export const names = {
  incr: 'INCR',
  script: 'INCR + PEXPIRE script',
  counter: 'counter',
  gcra: 'GCRA',
  three: 'three GCRA policies',
  ten: 'ten GCRA policies',
}

export const manyKeys: readonly string[] = keysOf(10_000)
const hotKey = keysOf(1)

const incrScript = `local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return count`

/** The commands that every script on the server's clock needs, without deciding anything. */
const leastScript = `local clock = redis.call('TIME')
redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { clock[1] * 1000000 + clock[2], 0, 0, 0, 0, 0, 0 }`

/** All kinds of calls, over one connection. */
export async function callKinds(client: Redis): Promise<readonly CallKind[]> {
  const store = redisStore(client)
  const least = ['1', '3600000', '3', '4', '5', '6', '7', '8', '9']
  const kinds = [
    rawIncr(client, names.incr, manyKeys),
    await rawScript(client, names.script, { text: incrScript, args: ['3600000'] }),
    await rawScript(client, 'TIME, GET, SET script', { text: leastScript, args: least }),
    checks(store, { name: names.counter, policies: { default: wide.counter } }),
    checks(store, { name: names.gcra, policies: { default: wide.gcra } }),
    checks(store, { name: names.three, policies: severalGcra(3) }),
    checks(store, { name: names.ten, policies: severalGcra(10) }),
    rawIncr(client, 'INCR, one hot key', hotKey),
    checks(store, { name: 'counter, one hot key', policies: { default: wide.counter }, keys: hotKey }),
    checks(store, { name: 'GCRA, one hot key', policies: { default: wide.gcra }, keys: hotKey }),
    checks(store, { name: 'counter, refused', policies: { default: narrow.counter }, refused: true }),
    checks(store, { name: 'GCRA, refused', policies: { default: narrow.gcra }, refused: true }),
  ]
  for (const { ask } of kinds) await ask(0)
  return kinds
}

/** As long as the names that the library gives, so that only the commands differ. */
function stateNames(keys: readonly string[], kind: string): readonly string[] {
  return keys.map((key) => `sl3:{${key}}:${kind}:xx`)
}

function rawIncr(client: Redis, name: string, keys: readonly string[]): CallKind {
  const states = stateNames(keys, name)
  return {
    name,
    command: 'incr',
    ask: (i) => client.incr(states[i % states.length] ?? ''),
    isRight: (answer) => typeof answer === 'number',
  }
}

async function rawScript(
  client: Redis,
  name: string,
  { text, args }: { text: string; args: readonly string[] },
): Promise<CallKind> {
  const sha = String(await client.script('LOAD', text))
  const states = stateNames(manyKeys, name.slice(0, 7))
  return {
    name,
    command: 'evalsha',
    ask: (i) => client.evalsha(sha, 1, states[i % states.length] ?? '', ...args),
    isRight: (answer) => answer !== null,
  }
}

interface Checks {
  readonly name: string
  readonly policies: { readonly [name: string]: Policy }
  readonly keys?: readonly string[]
  readonly refused?: boolean
}

/** A refused key is one key: it stays refused. */
export function checks(
  store: Store,
  { name, policies, refused = false, keys = refused ? hotKey : manyKeys }: Checks,
): CallKind {
  const limiter = createLimiter({ name, policies, store, logger: silent })
  return {
    name,
    command: 'evalsha',
    ask: (i) => limiter.check(keys[i % keys.length] ?? ''),
    isRight(answer) {
      const { allowed, source } = answer as Awaited<ReturnType<typeof limiter.check>> // what ask answers
      return refused ? !allowed : allowed && source === 'redis'
    },
  }
}

export interface Caller extends Contender {
  readonly kind: CallKind
  /** How many calls a run makes: as many for each of those in flight. */
  askedIn(times: number): number
}

/** Calls of one kind, with a constant number in flight. */
export function contenderOf(kind: CallKind, atOnce: number): Caller {
  let asked = 0
  async function askInTurn(times: number): Promise<number> {
    let wrong = 0
    for (let i = 0; i < times; i++) {
      if (!kind.isRight(await kind.ask(asked++))) wrong++
    }
    return wrong
  }
  return {
    name: kind.name,
    kind,
    askedIn: (times) => atOnce * Math.ceil(times / atOnce),
    async run(times) {
      const each = Math.ceil(times / atOnce)
      const wrong = await Promise.all(Array.from({ length: atOnce }, () => askInTurn(each)))
      if (wrong.some((count) => count > 0)) throw disturbed(`${kind.name}: not every answer came from Redis.`)
    },
  }
}
