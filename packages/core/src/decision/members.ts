/** A record's own member: a policy may be called `constructor`, and every object has one of those. */
export function memberOf<T>(record: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** An assignment to `__proto__` would be lost, and a place in a tree may be called so. */
export function setMember<T>(record: { [name: string]: T }, name: string, value: T): void {
  if (name !== '__proto__') record[name] = value
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true })
}
