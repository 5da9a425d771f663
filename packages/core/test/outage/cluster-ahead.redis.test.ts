import { randomBytes } from 'node:crypto'
import { setTimeout as passing } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { RedisCluster } from '@sluice/faults'
import {
  createLimiter,
  type FailureChoice,
  type Limiter,
  type Policy,
  slidingWindowLog,
} from '../../src/index.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { type Application, applicationOn, silent } from '../cluster/application.ts'
import { eventually, took } from './within.ts'

/** The deadline, and what a request may wait beyond it. */
const longestMs = 150
const limit = 2000
/** Checks of each key by each process, every 5 ms. */
const atOnce = 2

const cluster = new RedisCluster({ failsOver: true })
const applications: Application[] = []
const open: { close(): Promise<void> }[] = []
beforeAll(() => cluster.start())
afterEach(async () => {
  for (const limiter of open.splice(0)) await limiter.close()
  for (const { end } of applications.splice(0)) await end()
})
afterAll(() => cluster.end())

type One = Pick<Limiter<{ default: Policy }>, 'check' | 'health'>

/** Two processes that take units ahead for 200 ms. */
async function processes(onStoreFailure: FailureChoice): Promise<readonly One[]> {
  const name = randomBytes(6).toString('hex')
  applications.push(
    await applicationOn(cluster, 'ioredis 6', {}),
    await applicationOn(cluster, 'node-redis 6', {}),
  )
  const policy = slidingWindowLog({ limit, window: '1h' })
  const limiters = applications.map(({ store }) =>
    createLimiter({ name, store, policy, ahead: '200ms', onStoreFailure, logger: silent }),
  )
  open.push(...limiters)
  await Promise.all(limiters.map((limiter) => limiter.ready()))
  return limiters
}

/** A key that nobody has, which was the nth master's at first. */
function keyOf(nth: number): string {
  for (;;) {
    const key = randomBytes(6).toString('hex')
    if (Math.floor((slotOf(`{${key}}`) * 3) / 16_384) === nth) return key
  }
}

/** What was admitted of the keys of the three masters to each process. */
class Traffic {
  readonly admitted: number[][]
  /** How long the last answer to any of them was waited for, at most. */
  longestMs = 0
  readonly #limiters: readonly One[]
  readonly #keys = [0, 1, 2].map(keyOf)
  #over = false
  readonly #done: Promise<unknown>

  constructor(limiters: readonly One[]) {
    this.#limiters = limiters
    this.admitted = limiters.map(() => [0, 0, 0])
    this.#done = Promise.all(
      limiters.flatMap((_, process) => [0, 1, 2].map((nth) => this.#askOften(process, nth))),
    )
  }

  async #askOften(process: number, nth: number): Promise<void> {
    while (!this.#over) {
      await Promise.all(Array.from({ length: atOnce }, () => this.ask(process, nth)))
      await passing(5)
    }
  }

  async ask(process: number, nth: number): Promise<string> {
    const { value, ms } = await took(async () => this.#limiters[process]?.check(this.#keys[nth] ?? ''))
    this.longestMs = Math.max(this.longestMs, ms)
    const own = this.admitted[process]
    if (value?.allowed && own !== undefined) own[nth] = (own[nth] ?? 0) + 1
    return value?.source ?? ''
  }

  /** Of a master's key. */
  of(nth: number): readonly number[] {
    return this.admitted.map((each) => each[nth] ?? 0)
  }

  async end(): Promise<void> {
    this.#over = true
    await this.#done
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

function fromHand(limiters: readonly One[]): readonly number[] {
  return limiters.map((limiter) => limiter.health().ahead?.decisions ?? 0)
}

describe('a cluster whose master dies while two processes hold units of its keys', () => {
  it.each<[FailureChoice, number]>([
    ['local', 0],
    ['deny', 1],
  ])(
    "admits what docs/reliability.md says under '%s', and units are taken ahead again once its replica has taken over",
    async (choice, dying) => {
      const limiters = await processes(choice)
      const traffic = new Traffic(limiters)
      await eventually(() => traffic.of(dying).every((count) => count > 100))
      const held = limiters.map((limiter) => limiter.health().ahead?.inHand ?? 0)
      await cluster.master(dying).server.kill()
      await cluster.tookOver(cluster.replica(dying))
      await eventually(async () => {
        const sources = await Promise.all(limiters.map((_, process) => traffic.ask(process, dying)))
        return sources.every((source) => source === 'redis')
      })
      const before = fromHand(limiters)
      await eventually(() => fromHand(limiters).every((count, i) => count > (before[i] ?? 0) + 50))
      await traffic.end()
      // More than there is, of each key and each process.
      for (let i = 0; i < 1.2 * limit; i += 100) {
        const some = Array.from({ length: 100 }, () =>
          limiters.flatMap((_, process) => [0, 1, 2].map((nth) => traffic.ask(process, nth))),
        )
        await Promise.all(some.flat())
      }
      expect(held.every((units) => units > 0)).toBe(true)
      expect(traffic.longestMs).toBeLessThan(longestMs)
      for (const nth of [0, 1, 2]) {
        const admitted = traffic.of(nth)
        if (process.env.SLUICE_TRIAL_FIGURES) console.info(choice, { nth, dying, admitted })
        // One limit for each process, or one more for what was lost with the master.
        if (choice === 'local') for (const count of admitted) expect(count).toBeLessThanOrEqual(limit)
        const losses = choice === 'deny' && nth === dying ? 1 : 0
        if (choice === 'deny') expect(sum(admitted)).toBeLessThanOrEqual(limit * (1 + losses))
        // Of what processes have in hand at the end nobody has been admitted yet.
        expect(sum(admitted)).toBeGreaterThan(limit / 2)
      }
    },
  )
})
