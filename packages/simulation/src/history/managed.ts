/** The number of the key that is changed by hand; keys that are only asked for have lower numbers. */
export const managedKey = 3
/** The key that is put on lists. */
export const listedKey = 4
/** Stands in calls that are about limits, and about no key. */
export const noKey = 6
/** A key that nobody asks for before the end. */
export const freshKey = 5

/** Whether the name of a count is of the managed key. */
export function isOfManaged(name: string): boolean {
  return name.includes(`{k${managedKey}`)
}
