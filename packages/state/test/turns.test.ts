import { beforeEach, expect, it } from '@jest/globals'
import { type Turn, Turns } from '../src/turns.ts'

interface Call extends Turn {
  caller: { done: boolean }
}

let running: { readonly names: readonly string[]; end(): Promise<void> }[]
let turns: Turns<Call>
let nowMs: number
beforeEach(() => {
  running = []
  nowMs = 1_000
  turns = new Turns(
    (together) =>
      new Promise((resolve) => {
        const end = async () => {
          resolve()
          await new Promise(setImmediate)
        }
        running.push({ names: together.map(({ name }) => name), end })
      }),
    () => nowMs,
  )
})

function add(...keys: readonly string[]): Call {
  const call = { keys, name: keys.join('+'), caller: { done: false } }
  turns.add(call)
  return call
}

function ran(): readonly (readonly string[])[] {
  return running.map(({ names }) => names)
}

it('keys of callers that have gone are in no line any more', async () => {
  add('all', 'a')
  add('all', 'b')
  const gone = add('all', 'c')
  gone.caller.done = true
  await running[0]?.end()
  add('all', 'd')
  expect(ran()).toEqual([['all+a'], ['all+b'], ['all+d']])
  // Two groups of the line are under way, and this key is none of theirs.
  add('c')
  expect(ran().at(-1)).toEqual(['c'])
})

it('a key is asked for again ten seconds after a transaction of it that never ends, and no sooner', () => {
  add('a')
  nowMs += 10_000
  add('a')
  expect(ran()).toEqual([['a']])
  nowMs += 1
  add('a')
  expect(ran()).toEqual([['a'], ['a', 'a']])
})

it('keys that calls share are free again when all their transactions hang', () => {
  add('all', 'a')
  add('all', 'b')
  add('all', 'c')
  nowMs += 10_001
  add('all', 'd')
  add('all', 'e')
  expect(ran()).toEqual([['all+a'], ['all+b'], ['all+c', 'all+d'], ['all+e']])
})

it('a transaction that ends after all does not make way for a third of its keys', async () => {
  add('a')
  nowMs += 10_001
  add('a')
  await running[0]?.end()
  add('a')
  expect(ran()).toEqual([['a'], ['a']])
  await running[1]?.end()
  expect(ran()).toEqual([['a'], ['a'], ['a']])
})
