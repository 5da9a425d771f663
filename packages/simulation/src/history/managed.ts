/** The key that somebody changes by hand, after those that are only asked for. */
export const managedKey = 3
/** The key that is put on lists. */
export const listedKey = 4
/** A key that nobody asks for before the end. */
export const freshKey = 5

/** Of the name of a count. */
export function isOfManaged(name: string): boolean {
  return name.includes(`{k${managedKey}`)
}
