/**
 * Several processes ask for one key at once, and each of them for a key of somebody else now and then: what the first costs the second.
 *
 *     node --conditions=sluice-source --import tsx packages/postgres/sample/hot-key.ts postgres://… [processes] [a second] [seconds] [policies] [limit]
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createLimiter, type Decision, fixedWindow } from '@sluice/core'
import { Pool } from 'pg'
import { createTable, postgresStore } from '../src/index.ts'

/** Whom the load is from: nobody, as many clients as there are checks, or one. */
type Load = 'none' | 'spread' | 'hot'

interface Order {
  readonly load: Load
  readonly name: string
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
  /** 2: a client's own, and one that all clients share. */
  readonly policies: number
  readonly limit: number
}

interface Asked {
  readonly waitsMs: number[]
  admitted: number
  withoutStore: number
}

const bystandersPerSecond = 50

async function ask(order: Order): Promise<{ readonly load: Asked; readonly bystander: Asked }> {
  const { load, name, url, perSecond, seconds, policies, limit } = order
  const pool = new Pool({ connectionString: url, max: 10 })
  const store = postgresStore(pool)
  const policy = fixedWindow({ limit, window: '1h' })
  const all = policies === 2 ? { client: policy, resource: policy } : { client: policy }
  const limiter = createLimiter({ name, policies: all, store, logger: { warn() {}, error() {} } })
  const own = createLimiter({
    name: `${name} bystander`,
    policy: fixedWindow({ limit: 1e6, window: '1h' }),
    store,
  })
  await limiter.ready()
  await own.check(`warm ${process.pid}`)
  const answers = [emptyAsked(), emptyAsked()] as const
  const under: Promise<void>[] = []
  const askOne = (into: Asked, check: () => Promise<Pick<Decision, 'allowed' | 'source'>>) => {
    const startedMs = performance.now()
    const heard = check().then(({ allowed, source }) => {
      into.waitsMs.push(performance.now() - startedMs)
      if (allowed) into.admitted++
      if (source !== 'postgres') into.withoutStore++
    })
    under.push(heard)
  }
  const startedMs = performance.now()
  let [hot, others] = [0, 0]
  for (let nowMs = startedMs; nowMs < startedMs + seconds * 1000; nowMs = performance.now()) {
    const passed = (nowMs - startedMs) / 1000
    for (; load !== 'none' && hot < passed * perSecond; hot++) {
      const client = load === 'hot' ? 'hot' : `client ${process.pid} ${hot}`
      const key = policies === 2 ? { client: `client ${process.pid} ${hot % 50}`, resource: client } : client
      askOne(answers[0], () => limiter.check(key as never)) // as its policies want it
    }
    for (; others < passed * bystandersPerSecond; others++)
      askOne(answers[1], () => own.check(`bystander ${process.pid}`))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(under)
  await limiter.close()
  await own.close()
  await store.close()
  await pool.end()
  return { load: answers[0], bystander: answers[1] }
}

function emptyAsked(): Asked {
  return { waitsMs: [], admitted: 0, withoutStore: 0 }
}

function sum(all: readonly Asked[]): Asked {
  return {
    waitsMs: all.flatMap(({ waitsMs }) => waitsMs),
    admitted: all.reduce((total, { admitted }) => total + admitted, 0),
    withoutStore: all.reduce((total, { withoutStore }) => total + withoutStore, 0),
  }
}

function told(who: string, { waitsMs, admitted, withoutStore }: Asked): string {
  const sorted = waitsMs.sort((a, b) => a - b)
  const at = (part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)
  return `${who}: ${sorted.length} asked, ${admitted} admitted, ${withoutStore} without the store; median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, longest ${at(1)} ms`
}

async function main([
  url = '',
  processes = '4',
  perSecond = '500',
  seconds = '5',
  policies = '1',
  limit = '1000',
]: string[]): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  await createTable(pool)
  await pool.end()
  for (const load of ['none', 'spread', 'hot'] as const) {
    const order: Order = {
      load,
      name: `hot-key ${load} ${Date.now()}`,
      url,
      perSecond: Number(perSecond),
      seconds: Number(seconds),
      policies: Number(policies),
      limit: Number(limit),
    }
    const workers = Array.from({ length: Number(processes) }, () => fork(fileURLToPath(import.meta.url)))
    const answers = await Promise.all(workers.map((worker) => answerOf(worker, order)))
    console.log(`load: ${load}`)
    if (load !== 'none')
      console.log(
        `  ${told(load === 'hot' ? `one key, limit ${limit}` : 'many keys', sum(answers.map((each) => each.load)))}`,
      )
    console.log(`  ${told('bystanders', sum(answers.map(({ bystander }) => bystander)))}`)
  }
}

async function answerOf(worker: ChildProcess, order: Order): Promise<Awaited<ReturnType<typeof ask>>> {
  worker.send(order)
  const [answer] = await once(worker, 'message')
  worker.disconnect()
  return answer
}

if (process.send === undefined) await main(process.argv.slice(2))
else process.on('message', (order: Order) => void ask(order).then((answer) => process.send?.(answer)))
