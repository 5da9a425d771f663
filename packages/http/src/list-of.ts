/** A list, made of rest arguments: decision/lane.ts of core says why. */
export function listOf<T>(...all: T[]): T[] {
  return all
}
