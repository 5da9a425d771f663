import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { Helper } from '../helper.ts'
import { machineOf } from '../machine.ts'
import { startRedis } from '../redis-server.ts'
import { asMarkdown } from '../table.ts'
import type { Duties, Left } from './child.ts'
import { type Judged, judgedCourse, type Sample, soakTable } from './judge.ts'
import { hoursOfWeek, hourUs, week } from './week.ts'

// A week of requests in an hour: two processes, one server; what they keep must not grow, and nothing may be left in the end.

const usage = `Usage: npm run soak -- [flags]

Replays a week of requests in an hour through two processes on a redis-server of its own, and judges what they keep.
Ends with 1 if memory grows, or if a key, a timer or a listener is left.

  --minutes N  how long the week takes; 60 unless told
`

const processes = 2
const samplesOfDay = 24
/** Requests, on the whole: the machine has other work. */
const mostPerSecond = 250
/** Lives are up to two windows of half a minute. */
const longestLifeMs = 90_000

async function sampleOf(redis: Redis, helpers: readonly Helper<Duties>[]): Promise<Sample> {
  const info = await redis.info('memory')
  const used = await Promise.all(helpers.map((helper) => helper.ask('used', undefined)))
  const sum = (of: (each: (typeof used)[number]) => number) => used.reduce((all, each) => all + of(each), 0)
  return {
    redis: Number(/used_memory:(\d+)/.exec(info)?.[1]),
    keys: await redis.dbsize(),
    heap: sum((each) => each.heap),
    resident: sum((each) => each.resident),
    timers: sum((each) => each.timers),
    listeners: sum((each) => each.listeners),
  }
}

function requestsOfWeek(): number {
  let requests = 0
  for (const _ of week()) requests++
  return requests
}

async function soak(minutes: number): Promise<{ readonly judged: Judged; readonly about: string }> {
  const server = await startRedis()
  const redis = new Redis(server.socket)
  const helpers = Array.from(
    { length: processes },
    () => new Helper<Duties>('soak/child.ts', [], ['--expose-gc']),
  )
  try {
    const speed = (hoursOfWeek * hourUs) / (minutes * 60e6)
    const thin = Math.max(1, Math.round(requestsOfWeek() / (minutes * 60 * mostPerSecond)))
    for (const [nth, helper] of helpers.entries()) {
      await helper.ask('begin', { socket: server.socket, nth, processes, speed, thin })
    }
    const startedMs = performance.now()
    const samples: Sample[] = []
    for (let i = 1; i <= 7 * samplesOfDay; i++) {
      const dueMs = startedMs + (i * minutes * 60_000) / (7 * samplesOfDay)
      await pause(Math.max(0, dueMs - performance.now()))
      samples.push(await sampleOf(redis, helpers))
      if (i % samplesOfDay === 0)
        process.stderr.write(`day ${i / samplesOfDay}: ${JSON.stringify(samples.at(-1))}\n`)
    }
    const left: Left[] = []
    for (const helper of helpers) left.push(await helper.ask('end', undefined))
    const endedMs = performance.now()
    while ((await redis.dbsize()) > 0 && performance.now() - endedMs < longestLifeMs) await pause(200)
    const goneMs = performance.now() - endedMs
    const judged = judgedCourse({ samples, samplesOfDay, left, keysLeft: await redis.dbsize(), goneMs })
    const { day, node, redis: version, cores } = await machineOf(redis)
    const about = `One run of ${minutes} minutes on ${day} with Node ${node} and Redis ${version} on ${cores} cores shared with other work: ${judged.asked.toLocaleString('en')} requests.`
    return { judged, about }
  } finally {
    for (const helper of helpers) await helper.end()
    redis.disconnect()
    await server.stop()
  }
}

const flag = { type: 'boolean', default: false } as const
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, help: flag },
})
if (values.help) console.log(usage)
else {
  const { judged, about } = await soak(Number(values.minutes))
  const text = `${about}\n\n${asMarkdown(soakTable(judged))}`
  console.log(text)
  for (const complaint of judged.complaints) console.error(complaint)
  process.exitCode = judged.complaints.length === 0 ? 0 : 1
}
