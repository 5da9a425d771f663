import { drawPlan } from './history/draw.ts'
import type { Plan } from './history/plan.ts'
import { play } from './history/play.ts'
import { makeStage, type Stage, type StageOptions, type World } from './history/world.ts'
import { isClean } from './invariants/endings.ts'
import { type Breach, breachesOf } from './invariants/list.ts'

/** A history that was played. */
export interface Played {
  readonly plan: Plan
  readonly world: World
  readonly breaches: readonly Breach[]
}

/** Plays histories, one after another, by one bundled text for all processes. */
export class Player {
  readonly #stage: Stage

  constructor(text: string, options: StageOptions = {}) {
    // Of an error only the message is used, and the stack trace takes longer than all else that makes one.
    Error.stackTraceLimit = 0
    this.#stage = makeStage(text, options)
  }

  seed(seed: number): Played {
    return this.plan(drawPlan(seed))
  }

  plan(plan: Plan): Played {
    const { world, thrown } = play(plan, this.#stage)
    const breaches = thrown === undefined ? breachesOf(world) : [thrownBreach(thrown)]
    if (thrown !== undefined || !isClean(world)) this.#stage.loader.forget()
    return { plan, world, breaches }
  }
}

/** The breach for an error that no part of the code has caught: it would have ended its process. */
function thrownBreach(thrown: unknown): Breach {
  return {
    invariant: 'nothing crashes a process',
    said: thrown instanceof Error ? thrown.message : String(thrown),
  }
}
