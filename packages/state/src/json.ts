import { describe, isRecord } from '@sluice/core/internal'

/** Marks an object that stands for a value without a form in JSON, or for an object that has such a member itself. */
const mark = '$'

/**
 * Writes plain data as JSON: numbers, texts, lists and objects as they are; bigint, undefined, NaN, the infinities, Maps and Sets
 * as marked objects. Throws a TypeError for anything else, such as a Date or an object of a class.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, replace)
}

// JSON.stringify passes a Date on as a text: only the object that holds it still has the Date.
function replace(this: unknown, name: string, given: unknown): unknown {
  const value: unknown = Reflect.get(this as object, name) // whatever holds a value is an object
  if (given === null || typeof given === 'string' || typeof given === 'boolean' || Array.isArray(given)) {
    if (value === given) return given
  } else if (typeof given === 'number') {
    return Number.isFinite(given) ? given : { [mark]: 'number', is: String(given) }
  }
  if (value === undefined) return { [mark]: 'undefined' }
  if (typeof value === 'bigint') return { [mark]: 'bigint', is: String(value) }
  if (value instanceof Map) return { [mark]: 'Map', is: [...value] }
  if (value instanceof Set) return { [mark]: 'Set', is: [...value] }
  if (isRecord(value)) return mark in value ? { [mark]: 'object', is: Object.entries(value) } : value
  throw new TypeError(`a state holds ${describe(value)} at "${name}"`)
}

/** Reads the data that `toJson` has written. */
export function fromJson(text: string): unknown {
  return text.includes(`"${mark}"`) ? JSON.parse(text, revive) : JSON.parse(text)
}

function revive(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(mark in value)) return value
  const { [mark]: kind, is } = value as { [mark]: unknown; is?: unknown } // as was just asked
  if (kind === 'number') return Number(is)
  if (kind === 'bigint') return BigInt(String(is))
  if (kind === 'Map') return new Map(is as [unknown, unknown][]) // as toJson has written it
  if (kind === 'Set') return new Set(is as unknown[])
  if (kind === 'object') return Object.fromEntries(is as [string, unknown][])
  return undefined
}
