import { createLimiter, memoryStore, type Policy, type Question, type Store } from '@sluice/core'
import { inChild } from './child.ts'
import { keysOf, scattered, wide } from './policies.ts'
import { type Contender, type Pace, race } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

const bareMap = 'a bare Map, get + set'
export const decided = { counter: 'counter, store.answer', gcra: 'GCRA, store.answer' }

/** The memory store compared with a bare Map, on the same keys in the same order. */
export async function memoryTime(count: number, pace: Pace): Promise<Section> {
  const keys = scattered(keysOf(count))
  const contenders = [
    mapOf(bareMap, keys),
    mapAndTimeOf('the same, and the time', keys),
    await answers(decided.counter, wide.counter, keys),
    await answers(decided.gcra, wide.gcra, keys),
    checks('counter, await limiter.check', wide.counter, keys),
    checks('GCRA, await limiter.check', wide.gcra, keys),
  ]
  const laps = await race(contenders, pace)
  const title = `In memory, ${count.toLocaleString('en-US')} keys`
  return sectionOf({ id: `memory-${count}`, title, unit: 'a second', ratiosTo: [bareMap] }, laps)
}

/** In a separate process: the Redis clients would affect the compiler's decisions and the heap. */
export async function memoryInChild(count: number, { rounds, turnMs }: Pace): Promise<Section> {
  return JSON.parse(await inChild('memory-child.js', [count, rounds, turnMs].map(String)))
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

/** The bare Map plus the clock that a store has to read. */
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

/** A limiter's question, created once: only the key of its check changes between calls. */
export async function prepared(policy: Policy): Promise<{ check: { key: string }; question: Question }> {
  let question: Question | undefined
  const inner = memoryStore()
  const store: Store = {
    name: inner.name,
    answer(asked) {
      question = asked
      return inner.answer(asked)
    },
    adjust: (changes) => inner.adjust(changes),
    manage: (command) => inner.manage(command),
    close: () => inner.close(),
  }
  await createLimiter({ policy, store }).check('any')
  const check = question?.checks[0]
  if (question === undefined || check === undefined) throw new Error('The limiter has asked nothing.')
  return { check, question } // the key is readonly for all other code
}

async function answers(name: string, policy: Policy, keys: readonly string[]): Promise<Contender> {
  const store = memoryStore()
  const { check, question } = await prepared(policy)
  let at = 0
  return {
    name,
    run(times) {
      let admitted = 0
      for (let i = 0; i < times; i++) {
        check.key = keys[at] ?? ''
        const answer = store.answer(question)
        if (!(answer instanceof Promise) && answer[0]?.allowed === true) admitted++
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
