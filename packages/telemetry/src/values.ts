import type { Labels } from './sink.ts'

/** One number of a metric. */
export interface Value {
  readonly labels: Labels
  readonly value: number
}

/** Values whose only label is a name; values with the same name are merged. */
export function byName(
  label: string,
  named: Iterable<readonly [name: string, value: number]>,
  merge: (one: number, other: number) => number,
): readonly Value[] {
  const merged = new Map<string, number>()
  for (const [name, value] of named) {
    const known = merged.get(name)
    merged.set(name, known === undefined ? value : merge(known, value))
  }
  return [...merged].map(([name, value]) => ({ labels: { [label]: name }, value }))
}
