import type { World } from '../history/world.ts'

/** A rule that must hold in every history. It lists its breaches, which are counted from the log and never by the product. */
export interface Invariant {
  readonly name: string
  readonly breaches: (world: World) => Iterable<string>
}
