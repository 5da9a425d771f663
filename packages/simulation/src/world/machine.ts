import type { States } from '../inside/states.ts'
import type { Random } from '../random.ts'
import { phase, type VirtualTime } from './time.ts'
import { Timers } from './timers.ts'

/** A real instant, so that what is printed reads well; every history begins there: four seconds before 00:01 on 28 February 2027, UTC. */
const beginUs = 1_803_772_856_123_457
/** When a process began, by its `performance.timeOrigin`. */
export const originUs = 1_803_772_856_000_000

/** What one simulated process runs on: its clocks, its timers and its randomness. It can stand still, be killed, and have its clock set. */
export class Machine {
  readonly name: string
  readonly time: VirtualTime
  readonly random: Random
  readonly timers: Timers
  readonly warnings: string[] = []
  dead = false
  stillUntilUs = 0
  /** The times for which it has stood still since its beginning. */
  readonly stills: { readonly fromUs: number; readonly untilUs: number }[] = []
  /** By how much its wall clock was set. Its monotonic clocks take no notice. */
  wallStepUs = 0
  /** What modules keep for this process. */
  states: States | undefined
  /** The host of the code that it runs. */
  host: { turnTo(machine: Machine): void } | undefined
  /** How many immediates have not run yet. */
  immediates = 0

  constructor(name: string, time: VirtualTime, random: Random) {
    this.name = name
    this.time = time
    this.random = random
    this.timers = new Timers(this)
  }

  /** Makes what runs from now on run in this process. */
  enter(): void {
    this.host?.turnTo(this)
  }

  latenessUs(): number {
    return this.random.whole(0, 200)
  }

  /** The time of its monotonic clock. */
  get elapsedUs(): number {
    return this.time.nowUs
  }

  /** The time of the clock that `performance` shows: no step of the wall clock moves it. */
  get clockUs(): number {
    return originUs + this.elapsedUs
  }

  get wallUs(): number {
    return beginUs + this.time.nowUs + this.wallStepUs
  }

  standStill(us: number): void {
    const fromUs = Math.max(this.time.nowUs, this.stillUntilUs)
    this.stillUntilUs = Math.max(this.stillUntilUs, this.time.nowUs + us)
    if (this.stillUntilUs > fromUs) this.stills.push({ fromUs, untilUs: this.stillUntilUs })
  }

  immediate(call: () => void): void {
    this.immediates++
    const about = { owner: this, phase: phase.immediate }
    this.time.after(
      1,
      () => {
        this.immediates--
        call()
      },
      about,
    )
  }

  /** Calls a function after a time, as something that arrives from outside. */
  arrives(us: number, call: () => void): void {
    this.time.after(us, call, { owner: this, phase: phase.arrival })
  }
}

/** The wall clock's time at the beginning of every history, before any step. */
export const startUs: number = beginUs
