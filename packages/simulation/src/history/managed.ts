/** The last key is that which somebody changes by hand. */
export const managedKey = 3

/** Of the name of a count. */
export function isOfManaged(name: string): boolean {
  return name.includes(`{k${managedKey}`)
}
