/** An option that cannot be meant: thrown at construction. `path` names the option, the message what was expected and what came. */
export interface OptionError extends TypeError {
  readonly code: 'SLUICE_OPTION'
  readonly path: string
}

/** The store could not do what was asked. Only `block`, `unblock`, `reset` and `inspect` reject with it. */
export interface StoreError extends Error {
  readonly code: 'SLUICE_STORE'
  readonly store: string
}

export function optionError(path: string, expected: string, got: unknown): OptionError {
  const message = `${path}: expected ${expected}, got ${describe(got)}`
  return Object.assign(new TypeError(message), { code: 'SLUICE_OPTION', path } as const)
}

export function storeError(store: string, message: string, cause?: unknown): StoreError {
  return Object.assign(new Error(message, { cause }), { code: 'SLUICE_STORE', store } as const)
}

/** By code: there may be two copies of this package in a process. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof Error && 'code' in error && error.code === 'SLUICE_STORE'
}

/** true where a script has met a key that holds what no strategy wrote: that key cannot be counted, the store is well. */
export function isOneKeysFault(error: unknown): boolean {
  return error instanceof Error && error.message.includes('SLUICE a key holds')
}

const longest = 60

/** A value as an error message shows it, with its type: `"ten" (string)`. Never longer than a line. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (typeof value === 'string') return `${JSON.stringify(cut(value))} (string)`
  if (typeof value === 'function') return `a function${value.name ? ` (${cut(value.name)})` : ''}`
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return `an object${nameOf(value)}`
  return `${cut(String(value))} (${typeof value})`
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== 'Object' && name !== '' ? ` (${cut(name)})` : ''
}
