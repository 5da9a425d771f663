import { optionError } from '../errors.ts'
import type { Store } from '../store.ts'

/** Open limiters of one store by name: what their policies are, and how many share them. */
type Names = Map<string, { readonly value: string; open: number }>

// On the store itself, so that two copies of this package see one list.
const mark = Symbol.for('sluice.limiters')

function namesOf(store: Store): Names {
  const marked: Store & { [mark]?: Names } = store
  marked[mark] ??= new Map()
  return marked[mark]
}

/** Two limiters must not share counts by accident: same name, same policies, or it is an error. The answer gives the name free. */
export function claimName(store: Store, name: string, value: string): () => void {
  const names = namesOf(store)
  const entry = names.get(name)
  if (entry !== undefined && entry.value !== value) {
    const expected =
      'a name of its own, as another open limiter of this name counts other policies on this store'
    throw optionError('name', expected, name)
  }
  if (entry === undefined) names.set(name, { value, open: 1 })
  else entry.open++
  let claimed = true
  return () => {
    const held = names.get(name)
    if (!claimed || held === undefined) return
    claimed = false
    held.open--
    if (held.open === 0) names.delete(name)
  }
}
