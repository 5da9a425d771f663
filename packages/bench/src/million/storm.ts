import { setTimeout as pause } from 'node:timers/promises'
import type { RedisCluster } from '@sluice/faults'
import { type Asked, keysOn } from './fill.ts'

export interface Storm {
  /** Milliseconds of a check: before, while keys go, and after. */
  readonly before: Quantiles
  readonly during: Quantiles
  readonly after: Quantiles
  /** From the last end of a life until the servers had no such key. */
  readonly goneMs: number
  readonly notFromRedis: number
}

export interface Quantiles {
  readonly checks: number
  readonly median: number
  readonly p99: number
  readonly most: number
}

const perMs = 5
const stormMs = 1000

/** Gives each key an end within one second, spread evenly. */
const ends = `local found = redis.call('SCAN', ARGV[1], 'COUNT', 5000)
for _, key in ipairs(found[2]) do
  redis.call('PEXPIREAT', key, ARGV[2] + math.random(0, ${stormMs}))
end
return found[1]`

/** All keys but those of the limiter that is asked meanwhile lose their lives within a second. */
export async function expireAtOnce(cluster: RedisCluster, limiter: Asked, leadMs: number): Promise<Storm> {
  const startsMs = Date.now() + leadMs
  await Promise.all(
    cluster.masters.map(async ({ client }) => {
      let cursor = '0'
      do cursor = String(await client.eval(ends, 0, cursor, startsMs))
      while (cursor !== '0')
    }),
  )
  if (Date.now() > startsMs - 1000) throw new Error('The ends of lives took too long to write.')
  const phases: { before: number[]; during: number[]; after: number[] } = {
    before: [],
    during: [],
    after: [],
  }
  let goneMs: number | undefined
  let notFromRedis = 0
  const under: Promise<void>[] = []
  let nth = 0
  async function ask(): Promise<void> {
    const phase = Date.now() < startsMs ? 'before' : goneMs === undefined ? 'during' : 'after'
    const askedMs = performance.now()
    const { source } = await limiter.check(`living-${nth++ % 1000}`)
    if (source !== 'redis') notFromRedis++
    phases[phase].push(performance.now() - askedMs)
  }
  const asking = setInterval(() => under.push(ask()), perMs)
  while (goneMs === undefined) {
    await pause(20)
    if (Date.now() > startsMs + stormMs && (await keysOn(cluster.masters)) <= 1000)
      goneMs = Date.now() - startsMs - stormMs
    if (Date.now() > startsMs + 60_000) throw new Error('The keys of a storm stay.')
  }
  await pause(3000)
  clearInterval(asking)
  await Promise.all(under)
  return {
    before: quantilesOf(phases.before),
    during: quantilesOf(phases.during),
    after: quantilesOf(phases.after),
    goneMs,
    notFromRedis,
  }
}

function quantilesOf(times: number[]): Quantiles {
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { checks: times.length, median: at(0.5), p99: at(0.99), most: at(1) }
}
