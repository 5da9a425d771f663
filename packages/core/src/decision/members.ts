/** A record's own member: a policy may be called `constructor`, and every object has one of those. */
export function memberOf<T>(record: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** Sets a record's own member. A place in a tree may be called `__proto__`: a plain assignment to that would be lost. */
export function setMember<T>(record: { [name: string]: T }, name: string, value: T): void {
  if (name !== '__proto__') record[name] = value
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true })
}
