import { createLimiter, type Policy, redisStore, type Store } from '@sluice/core'
import type { Redis } from 'ioredis'
import { keysOf, narrow, threeGcra, wide } from './policies.ts'
import type { Contender } from './rounds.ts'

/** One kind of call to Redis, and the command whose server time it is. */
export interface CallKind {
  readonly name: string
  readonly command: 'incr' | 'evalsha'
  ask(i: number): Promise<unknown>
  /** false: it was not what is to be measured, such as an answer of the fallback. */
  isRight(answer: unknown): boolean
}

export const incr = 'INCR'
export const script = 'INCR + PEXPIRE script'
export const counter = 'counter'
export const oneGcra = 'GCRA'

const manyKeys = keysOf(10_000)
const hotKey = keysOf(1)

const scriptText = `local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return count`

/** All that is measured, over one connection. */
export async function callKinds(client: Redis): Promise<readonly CallKind[]> {
  const sha = String(await client.script('LOAD', scriptText))
  const store = redisStore(client)
  const kinds = [
    rawIncr(client, incr, manyKeys),
    rawScript(client, sha),
    checks(store, { name: counter, policies: { default: wide.counter } }),
    checks(store, { name: oneGcra, policies: { default: wide.gcra } }),
    checks(store, { name: 'three GCRA policies in one call', policies: threeGcra }),
    rawIncr(client, 'INCR, one hot key', hotKey),
    checks(store, { name: 'counter, one hot key', policies: { default: wide.counter }, keys: hotKey }),
    checks(store, { name: 'GCRA, one hot key', policies: { default: wide.gcra }, keys: hotKey }),
    checks(store, { name: 'counter, refused', policies: { default: narrow.counter }, refused: true }),
    checks(store, { name: 'GCRA, refused', policies: { default: narrow.gcra }, refused: true }),
  ]
  for (const kind of kinds) await kind.ask(0)
  return kinds
}

function rawIncr(client: Redis, name: string, keys: readonly string[]): CallKind {
  const names = keys.map((key) => `${name}:${key}`)
  return {
    name,
    command: 'incr',
    ask: (i) => client.incr(names[i % names.length] ?? ''),
    isRight: (answer) => typeof answer === 'number',
  }
}

function rawScript(client: Redis, sha: string): CallKind {
  const names = manyKeys.map((key) => `script:${key}`)
  return {
    name: script,
    command: 'evalsha',
    ask: (i) => client.evalsha(sha, 1, names[i % names.length] ?? '', '3600000'),
    isRight: (answer) => typeof answer === 'number',
  }
}

interface Checks {
  readonly name: string
  readonly policies: { readonly [name: string]: Policy }
  readonly keys?: readonly string[]
  readonly refused?: boolean
}

/** A refused key is one key: it stays refused. */
function checks(store: Store, { name, policies, refused = false, keys = refused ? hotKey : manyKeys }: Checks): CallKind {
  const limiter = createLimiter({ name, policies, store })
  return {
    name,
    command: 'evalsha',
    ask: (i) => limiter.check(keys[i % keys.length] ?? ''),
    isRight(answer) {
      const { allowed, source } = answer as Awaited<ReturnType<typeof limiter.check>> // what ask answers
      return source === 'redis' && allowed === !refused
    },
  }
}

/** So many of these calls under way at all times. */
export function contenderOf<K extends CallKind>(kind: K, atOnce: number): Contender & { readonly kind: K } {
  let asked = 0
  let wrong = 0
  async function worker(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      if (!kind.isRight(await kind.ask(asked++))) wrong++
    }
  }
  return {
    name: kind.name,
    kind,
    async run(times) {
      const workers: Promise<void>[] = []
      for (let i = 0; i < atOnce; i++) workers.push(worker(Math.ceil(times / atOnce)))
      await Promise.all(workers)
      if (wrong > 0) throw new Error(`${kind.name}: ${wrong} answers were not Redis's; is the machine too busy?`)
    },
  }
}
