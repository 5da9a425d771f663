import type { World } from '../history/world.ts'

/** What must hold in every history: it says where it does not. Counted from the log, never by the product. */
export interface Invariant {
  readonly name: string
  readonly breaches: (world: World) => Iterable<string>
}
