import { setTimeout as pause } from 'node:timers/promises'
import type { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { Helper } from '../helper.ts'
import type { Duties } from './child.ts'
import { type Course, type Left, type Sample, samplesOfDay } from './judge.ts'
import type { Kept } from './kept.ts'
import { hoursOfWeek, hourUs, week } from './week.ts'

const processes = 2
/** Requests, on the whole: the machine has other work. */
const mostPerSecond = 250
/** Lives are up to two windows of half a minute. */
const longestLifeMs = 90_000

/** The week in so many minutes, through two processes. */
export async function realWeek(
  server: RedisProcess,
  minutes: number,
  sampled: (sample: Sample) => void,
): Promise<Course> {
  const redis = new Redis(server.url)
  const helpers = Array.from(
    { length: processes },
    () => new Helper<Duties>('soak/child.ts', [server.url], ['--expose-gc']),
  )
  try {
    const speed = (hoursOfWeek * hourUs) / (minutes * 60e6)
    const thin = Math.max(1, Math.round(requestsOfWeek() / (minutes * 60 * mostPerSecond)))
    for (const [nth, helper] of helpers.entries()) await helper.ask('begin', { nth, processes, speed, thin })
    const startedMs = performance.now()
    const samples: Sample[] = []
    for (let i = 1; i <= 7 * samplesOfDay; i++) {
      const dueMs = startedMs + (i * minutes * 60_000) / (7 * samplesOfDay)
      await pause(Math.max(0, dueMs - performance.now()))
      const sample = await sampleOf(redis, helpers)
      samples.push(sample)
      sampled(sample)
    }
    const left: Left[] = []
    for (const helper of helpers) left.push(await helper.ask('end', undefined))
    const endedMs = performance.now()
    while ((await redis.dbsize()) > 0 && performance.now() - endedMs < longestLifeMs) await pause(200)
    return { samples, left, keysLeft: await redis.dbsize() }
  } finally {
    for (const helper of helpers) await helper.end()
    redis.disconnect()
  }
}

async function sampleOf(redis: Redis, helpers: readonly Helper<Duties>[]): Promise<Sample> {
  const info = await redis.info('memory')
  const kept = await Promise.all(helpers.map((helper) => helper.ask('kept', undefined)))
  const sum = (of: keyof Kept) => kept.reduce((all, each) => all + each[of], 0)
  return {
    redis: Number(/used_memory:(\d+)/.exec(info)?.[1]),
    keys: await redis.dbsize(),
    heap: sum('heap'),
    timers: sum('timers'),
    listeners: sum('listeners'),
  }
}

function requestsOfWeek(): number {
  let requests = 0
  for (const _ of week()) requests++
  return requests
}
