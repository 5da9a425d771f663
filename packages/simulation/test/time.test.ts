import { expect, it } from '@jest/globals'
import { Random } from '../src/random.ts'
import { Machine } from '../src/world/machine.ts'
import { inOwnTurn } from '../src/world/microtasks.ts'
import { VirtualTime } from '../src/world/time.ts'

/** What happens on one machine until an instant, in its order. */
function playedOn(untilUs: number, begin: (machine: Machine, note: (what: string) => void) => void) {
  return inOwnTurn(() => {
    const time = new VirtualTime()
    const notes: string[] = []
    const machine = new Machine('one', time, new Random(1))
    begin(machine, (what) => notes.push(what))
    time.settle()
    time.runUntil(untilUs)
    return notes
  })
}

it('promise callbacks and ticks run before the next event', async () => {
  const notes = await playedOn(100, (machine, note) => {
    machine.arrives(10, () => {
      void Promise.resolve().then(() => note('then'))
      machine.time.ticks.push(() => note('tick'))
      note('first')
    })
    machine.arrives(10, () => note('second'))
  })
  expect(notes).toEqual(['first', 'tick', 'then', 'second'])
})

it('a process that stood still looks at its timers first, then at what has arrived, then at immediates', async () => {
  const notes = await playedOn(60_000, (machine, note) => {
    machine.arrives(3_000, () => note('arrived'))
    machine.timers.set(() => {
      note('timer')
      machine.immediate(() => note('immediate'))
    }, 10)
    machine.standStill(50_000)
  })
  expect(notes).toEqual(['timer', 'arrived', 'immediate'])
})

it('who is dead does nothing more', async () => {
  const notes = await playedOn(60_000, (machine, note) => {
    machine.timers.set(() => note('timer'), 20)
    machine.arrives(5_000, () => {
      machine.dead = true
    })
  })
  expect(notes).toEqual([])
})

it('a timer fires up to a millisecond early, as in Node, and never earlier', async () => {
  const notes = await playedOn(60_000, (machine, note) => {
    machine.arrives(700, () => machine.timers.set(() => note(String(machine.time.nowUs)), 5))
  })
  const afterUs = Number(notes[0]) - 700
  expect(afterUs).toBeGreaterThanOrEqual(4_000)
  expect(afterUs).toBeLessThanOrEqual(5_500)
})

it('a step of the wall clock moves no other clock', async () => {
  const notes = await playedOn(100, (machine, note) => {
    const [wall, elapsed] = [machine.wallUs, machine.elapsedUs]
    machine.wallStepUs = 3_600_000_000
    note(String(machine.wallUs - wall))
    note(String(machine.elapsedUs - elapsed))
  })
  expect(notes).toEqual(['3600000000', '0'])
})
