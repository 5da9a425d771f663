import { randomBytes } from 'node:crypto'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { streamQueue } from '../../src/index.ts'
import { Crew } from './crew.ts'
import type { Job } from './worker.ts'

/** What is left of so many entries in the end. */
export interface Books {
  readonly appended: number
  readonly done: number
  readonly dead: number
  readonly waiting: number
  readonly running: number
  /** The longest that the queue was seen. */
  readonly longest: number
  readonly deaths: number
  /** Most runs of one entry. */
  readonly mostRuns: number
}

const limit = 1000
const processors = 3
const callers = 32

/** Offers so many entries while processors are killed at random. */
export async function soak(redis: string, entries: number, kills: number): Promise<Books> {
  const name = `soak${randomBytes(6).toString('hex')}`
  const client = new Redis(redis)
  const queue = streamQueue<Job>({ name, redis: client, limit, deadline: '10s' })
  const crew = new Crew({ name, limit, work: { concurrency: 64 } }, redis)
  await crew.start(processors)
  let offered = 0
  let longest = 0
  let killed = 0
  const offer = async () => {
    while (offered < entries) {
      const n = offered++
      while (!(await queue.offer({ n })).allowed) {
        longest = Math.max(longest, await client.xlen(`sl1:{queue:${name}}:e`))
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      if (n > (killed * entries) / kills) {
        killed++
        await crew.kill()
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, offer))
  let health = await queue.health()
  while (health.waiting + health.running > 0) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    health = await queue.health()
  }
  const runs = Object.values(await client.hgetall(`runs:${name}`)).map(Number)
  const appended = Number(await client.get(`sl1:{queue:${name}}:n`))
  const { done, dead, waiting, running } = health
  await crew.stop()
  await queue.close()
  client.disconnect()
  const mostRuns = runs.reduce((most, each) => Math.max(most, each), 0)
  return { appended, done, dead, waiting, running, longest, deaths: crew.deaths, mostRuns }
}

async function main(entries: number): Promise<void> {
  const server = await RedisProcess.prepare()
  await server.start()
  const books = await soak(server.url, entries, Math.max(5, Math.round(entries / 2000)))
  await server.end()
  console.log(books)
  process.exitCode = books.appended === books.done + books.dead && books.appended >= entries ? 0 : 1
}

// node --conditions=sluice-source --import tsx packages/queue/test/outage/soak.ts [ENTRIES]
if (process.argv[1]?.endsWith('soak.ts')) void main(Number(process.argv[2] ?? 1_000_000))
