import { createLimiter, memoryStore, type Policy, type Question } from '@sluice/core'
import { keysOf, wide } from './policies.ts'
import { type Contender, type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

const bareMap = 'a bare Map, get + set'
export const decided = { counter: 'counter, store.decide', gcra: 'GCRA, store.decide' }

/** The memory store beside a bare Map, on the same keys in the same order. */
export async function memoryTime(count: number, pace: Pace): Promise<Section> {
  const keys = scattered(keysOf(count))
  const contenders = [
    mapOf(bareMap, keys),
    mapAndTimeOf('the same, and the time', keys),
    decides(decided.counter, wide.counter, keys),
    decides(decided.gcra, wide.gcra, keys),
    checks('counter, await limiter.check', wide.counter, keys),
    checks('GCRA, await limiter.check', wide.gcra, keys),
  ]
  const laps = await race(contenders, pace)
  const title = `In memory, ${count.toLocaleString('en-US')} keys`
  return sectionOf({ id: `memory-${count}`, title, unit: 'a second', ratiosTo: [bareMap] }, laps)
}

/** All of them, in an order that has nothing to do with the one in which they were made. */
function scattered(keys: readonly string[]): readonly string[] {
  const step = 7919 // without a factor in common with a power of ten: every key has its turn
  return keys.map((_, i) => keys[(i * step) % keys.length] ?? '')
}

function mapOf(name: string, keys: readonly string[]): Contender {
  const counts = new Map<string, number>()
  let at = 0
  return {
    name,
    run(times) {
      for (let i = 0; i < times; i++) {
        const key = keys[at] ?? ''
        counts.set(key, (counts.get(key) ?? 0) + 1)
        at = at + 1 === keys.length ? 0 : at + 1
      }
    },
  }
}

/** What a store that goes by the clock cannot do without. */
function mapAndTimeOf(name: string, keys: readonly string[]): Contender {
  const counts = new Map<string, number>()
  let at = 0
  return {
    name,
    run(times) {
      let late = 0
      for (let i = 0; i < times; i++) {
        if (performance.now() < 0) late++
        const key = keys[at] ?? ''
        counts.set(key, (counts.get(key) ?? 0) + 1)
        at = at + 1 === keys.length ? 0 : at + 1
      }
      if (late > 0) throw new Error('The clock runs backwards.')
    },
  }
}

/** A question that is made once; from call to call only its check's key changes. */
export function prepared(policy: Policy): { check: { key: string }; questions: readonly Question[] } {
  const check = {
    id: 'default:default:xx',
    policy,
    key: '',
    cost: 1,
    note: undefined,
    shadow: false,
    onStoreFailure: 'local' as const,
  }
  return { check, questions: [{ checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true }] }
}

function decides(name: string, policy: Policy, keys: readonly string[]): Contender {
  const store = memoryStore()
  const { check, questions } = prepared(policy)
  let at = 0
  return {
    name,
    run(times) {
      let admitted = 0
      for (let i = 0; i < times; i++) {
        check.key = keys[at] ?? ''
        const answer = store.decide(questions)
        if (!(answer instanceof Promise) && answer[0]?.[0]?.allowed === true) admitted++
        at = at + 1 === keys.length ? 0 : at + 1
      }
      mustAllBeAdmitted(name, times - admitted)
    },
  }
}

function checks(name: string, policy: Policy, keys: readonly string[]): Contender {
  const limiter = createLimiter({ policy })
  let at = 0
  return {
    name,
    async run(times) {
      let admitted = 0
      for (let i = 0; i < times; i++) {
        const { allowed } = await limiter.check(keys[at] ?? '')
        if (allowed) admitted++
        at = at + 1 === keys.length ? 0 : at + 1
      }
      mustAllBeAdmitted(name, times - admitted)
    },
  }
}

function mustAllBeAdmitted(name: string, refused: number): void {
  if (refused > 0) throw new Error(`${name}: ${refused} were refused.`)
}
