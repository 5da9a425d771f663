import type { World } from './world.ts'

/** One thing that every adapter does. */
export interface Scenario {
  readonly title: string
  run(world: World): Promise<void>
}

/** What an adapter cannot do: every scenario whose title contains the text. A skip that meets none fails. */
export interface Skip {
  readonly scenario: string
  readonly reason: string
}
