import { beforeEach, expect, it } from '@jest/globals'
import { type Turn, Turns } from '../src/turns.ts'

interface Call extends Turn {
  caller: { done: boolean }
}

let running: { readonly names: readonly string[]; end(): Promise<void> }[]
let turns: Turns<Call>
beforeEach(() => {
  running = []
  turns = new Turns(
    (together) =>
      new Promise((resolve) => {
        const end = async () => {
          resolve()
          await new Promise(setImmediate)
        }
        running.push({ names: together.map(({ name }) => name), end })
      }),
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
