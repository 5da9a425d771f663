import { createLimiter, type Decision, memoryStore, type Policy, type Question } from '@sluice/core'
import { counter, oneGcra } from './calls.ts'
import { keysOf, wide } from './policies.ts'
import { type Contender, type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

const bare = 'a bare Map, get + set'

/** The memory store beside a bare Map, in an order that no cache foresees. */
export async function memoryTime(count: number, pace: Pace): Promise<Section> {
  const keys = scattered(keysOf(count))
  const contenders = [
    mapOf(keys),
    decides(`${counter}, store.decide`, wide.counter, keys),
    decides(`${oneGcra}, store.decide`, wide.gcra, keys),
    checks(`${counter}, await limiter.check`, wide.counter, keys),
    checks(`${oneGcra}, await limiter.check`, wide.gcra, keys),
  ]
  const title = `In memory, ${count.toLocaleString('en-US')} keys`
  const laps = await race(contenders, pace)
  return sectionOf({ id: `memory-${count}`, title, unit: 'a second', ratiosTo: [bare] }, laps)
}

/** The same keys in an order that has nothing to do with when they were made. */
function scattered(keys: readonly string[]): readonly string[] {
  const step = 7919 // a prime, so that every key is met once a turn
  return keys.map((_, i) => keys[(i * step) % keys.length] ?? '')
}

function mapOf(keys: readonly string[]): Contender {
  const counts = new Map<string, number>()
  let at = 0
  return {
    name: bare,
    run(times) {
      for (let i = 0; i < times; i++) {
        const key = keys[at] ?? ''
        counts.set(key, (counts.get(key) ?? 0) + 1)
        at = at + 1 === keys.length ? 0 : at + 1
      }
    },
  }
}

/** The store alone, asked questions that were prepared before. */
function decides(name: string, policy: Policy, keys: readonly string[]): Contender {
  const store = memoryStore()
  const questions = keys.map((key): readonly Question[] => [questionOf(policy, key)])
  let at = 0
  return {
    name,
    run(times) {
      let admitted = 0
      for (let i = 0; i < times; i++) {
        const answer = store.decide(questions[at] ?? [])
        if (!(answer instanceof Promise) && answer[0]?.[0]?.allowed === true) admitted++
        at = at + 1 === keys.length ? 0 : at + 1
      }
      if (admitted !== times) throw new Error(`${name}: ${times - admitted} were refused.`)
    },
  }
}

export function questionOf(policy: Policy, key: string): Question {
  const check = { id: 'default:default:xx', policy, key, cost: 1, note: undefined, shadow: false } as const
  return { checks: [{ ...check, onStoreFailure: 'local' }], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
}

function checks(name: string, policy: Policy, keys: readonly string[]): Contender {
  const limiter = createLimiter({ policy })
  let at = 0
  return {
    name,
    async run(times) {
      let admitted = 0
      for (let i = 0; i < times; i++) {
        const decision: Decision = await limiter.check(keys[at] ?? '')
        if (decision.allowed) admitted++
        at = at + 1 === keys.length ? 0 : at + 1
      }
      if (admitted !== times) throw new Error(`${name}: ${times - admitted} were refused.`)
    },
  }
}
