import { isPolicy } from './policy.ts'

/** An invalid option or argument. Its message is `path: expected …, got …`. */
export interface OptionError extends TypeError {
  readonly code: 'SLUICE_OPTION'
  /** `policies.visitor.limit`. */
  readonly path: string
  /** `a whole number of at least 1`. */
  readonly expected: string
  /** The value with its type, on one line: `"ten" (string)`. */
  readonly got: string
}

/** The store could not do what was asked. Only `block`, `unblock`, `reset`, `set` and `inspect` reject with it. */
export interface StoreError extends Error {
  readonly code: 'SLUICE_STORE'
  readonly store: string
}

/** Every error that a user can meet has a code, with a heading in docs/errors.md: made here or by `codedTypeError`. */
export function codedError<F extends Coded>(message: string, facts: F, options?: ErrorOptions): Error & F {
  return Object.assign(new Error(message, options), facts)
}

/** For a call that is wrong as it is written. */
export function codedTypeError<F extends Coded>(message: string, facts: F): TypeError & F {
  return Object.assign(new TypeError(message), facts)
}

interface Coded {
  readonly code: `SLUICE_${string}`
}

export function optionError(path: string, expected: string, value: unknown): OptionError {
  return optionErrorOf(path, expected, describe(value))
}

/** For a value that has a better name than its type. */
export function optionErrorOf(path: string, expected: string, got: string): OptionError {
  const facts = { code: 'SLUICE_OPTION', path, expected, got } as const
  const error = codedTypeError(`${path}: expected ${expected}, got ${got}`, facts)
  // Of a stack ten calls are printed, and that of the user is not to be pushed out by these.
  Error.captureStackTrace?.(error, optionErrorOf)
  return error
}

/** Compares the code, as `instanceof` fails between two copies of this package. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** Whether a wrong option or argument was named, by any copy of this package. */
export function isOptionError(error: unknown): error is OptionError {
  return hasCode(error, 'SLUICE_OPTION')
}

export function storeError(store: string, message: string, cause?: unknown): StoreError {
  return codedError(message, { code: 'SLUICE_STORE', store }, { cause })
}

const late = 'no answer within '

/** A deadline has passed: the store is away, or others were first at this key. */
export function lateError(store: string, ms: number): StoreError {
  return storeError(store, `${late}${ms} ms`)
}

export function isLateError(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(late)
}

/** Whether the store could not do it, by any copy of this package. */
export function isStoreError(error: unknown): error is StoreError {
  return hasCode(error, 'SLUICE_STORE')
}

/** A value with its type for an error message, on one line: `"ten" (string)`. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (typeof value === 'string') return `${JSON.stringify(cut(withoutPassword(value)))} (string)`
  if (typeof value === 'function') return `a function${value.name ? ` (${cut(value.name)})` : ''}`
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isPolicy(value)) return `a policy (${value.strategy})`
  if (typeof value === 'object') return `an object${nameOf(value)}`
  return `${cut(String(value))} (${typeof value})`
}

/** An address in the place of something else, such as a URL for a store, may have a password, and errors are logged. */
function withoutPassword(text: string): string {
  const from = text.indexOf('://') + 3
  const at = text.lastIndexOf('@')
  return from > 2 && at >= from ? `${text.slice(0, from)}…${text.slice(at)}` : text
}

export function cut(text: string, longest = 60): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== 'Object' && name !== '' ? ` (${cut(name)})` : ''
}
