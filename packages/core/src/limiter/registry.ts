import { monotonicClock, type Unmoved } from '../clock.ts'
import { optionError } from '../errors.ts'
import type { Store } from '../store.ts'

/** Open limiters of one store by name: what their policies are, and how many share them. */
interface Open extends Unmoved {
  readonly limiters: Map<string, { readonly value: string; open: number }>
}

// On the store itself, so that two copies of this package see one list.
const mark = Symbol.for('sluice.limiters')

function openOn(store: Store): Open {
  const marked: Store & { [mark]?: Open } = store
  const known = marked[mark]
  if (known !== undefined) return known
  const open = { store: store.name, limiters: new Map() }
  marked[mark] = open
  if (store.clock === undefined) monotonicClock.unmoved.add(new WeakRef(open))
  return open
}

/** Two limiters must not share counts by accident: throws if the name is open with other policies. The returned function frees the name. */
export function claimName(store: Store, name: string, value: string): () => void {
  const { limiters } = openOn(store)
  const entry = limiters.get(name)
  if (entry !== undefined && entry.value !== value) {
    const expected =
      'a name of its own, as another open limiter of this name counts other policies on this store'
    throw optionError('name', expected, name)
  }
  if (store.clock === undefined) monotonicClock.frozen?.accept(store.name, name)
  if (entry === undefined) limiters.set(name, { value, open: 1 })
  else entry.open++
  let claimed = true
  return () => {
    const held = limiters.get(name)
    if (!claimed || held === undefined) return
    claimed = false
    held.open--
    if (held.open === 0) limiters.delete(name)
  }
}
