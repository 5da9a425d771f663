import { isRecord } from '@sluice/core/internal'
import { type LogEntry, writtenValue } from './entry.ts'
import { usualPlaces } from './places.ts'
import { pathOf } from './request-place.ts'
import { timeUs } from './time.ts'

export type Places = Readonly<Record<string, readonly string[]>>

/** Deeper objects, and more fields, are not looked at for an address. */
const deepest = 6
const mostNames = 300

/** The usual places, with others for the fields that were named. */
export function placesWith(names: Readonly<Record<string, string>>): Places {
  const given = Object.entries(names).map(([field, name]) => [field, [name]] as const)
  return { ...usualPlaces, ...Object.fromEntries(given) }
}

/** An entry of named fields, or what was expected. `otherTime`: the time in the line's front. */
export function recordEntry(data: object, places: Places, otherTime?: string): LogEntry | string {
  const times = places.time ?? []
  const atUs = dayAndTimeUs(data) ?? firstTimeUs(data, times) ?? timeUs(otherTime) ?? anyTimeUs(data)
  if (atUs !== undefined) return new RecordEntry(atUs, data, places)
  const time = valueIn(data, times)
  if (time === undefined) return `a time in one of ${times.slice(0, 9).join(', ')}`
  return `a time such as "2026-01-31T10:00:00Z" or 1769853600, got ${shown(time)}`
}

class RecordEntry implements LogEntry {
  readonly atUs: number
  readonly #data: object
  readonly #places: Places

  constructor(atUs: number, data: object, places: Places) {
    this.atUs = atUs
    this.#data = data
    this.#places = places
  }

  get isRequest(): boolean {
    return this.field('method') !== undefined || this.field('path') !== undefined
  }

  names(): readonly string[] {
    const names: string[] = []
    collect(this.#data, '', names, 0)
    return names
  }

  field(name: string): string | undefined {
    const places = Object.hasOwn(this.#places, name) ? this.#places[name] : undefined
    const value = textOf(valueIn(this.#data, places ?? [name]))
    if (value === undefined) return this.#inRequestLine(name)
    return writtenValue(name, name === 'path' ? pathOf(value) : value)
  }

  /** `"request":"GET /a HTTP/1.1"` */
  #inRequestLine(name: string): string | undefined {
    if (name !== 'method' && name !== 'path') return undefined
    const line = valueIn(this.#data, ['request', 'request_line'])
    const [, method, path] = /^([A-Z]{3,20}) (\S+)/.exec(typeof line === 'string' ? line : '') ?? []
    return name === 'method' ? method : path && pathOf(path)
  }
}

/** A value as text. A list of texts is one header that came several times. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.join(', ') : undefined
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}

function collect(data: object, path: string, names: string[], depth: number): void {
  for (const [name, value] of Object.entries(data)) {
    if (names.length >= mostNames) return
    const place = path === '' ? name : `${path}.${name}`
    if (isRecord(value) && depth < deepest) collect(value, place, names, depth + 1)
    else if (textOf(value) !== undefined) names.push(place)
  }
}

/** The first of these names that has a value. */
export function valueIn(data: object, names: readonly string[]): unknown {
  for (const name of names) {
    const value = inner(data, name)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** The value of a name, which may be a path. A whole name wins over a path, at every level. */
function inner(data: object, name: string): unknown {
  if (Object.hasOwn(data, name)) return (data as Record<string, unknown>)[name] // an own property
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const head = name.slice(0, dot)
    const value = Object.hasOwn(data, head) ? (data as Record<string, unknown>)[head] : undefined // an own property
    if (!isRecord(value)) continue
    const found = inner(value, name.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}

/** The time of a W3C log, which has day and time in two fields. */
function dayAndTimeUs(data: object): number | undefined {
  const [day, time] = [inner(data, 'date'), inner(data, 'time')]
  return typeof day === 'string' && typeof time === 'string' ? timeUs(`${day} ${time}`) : undefined
}

function firstTimeUs(data: object, names: readonly string[]): number | undefined {
  for (const name of names) {
    const atUs = timeUs(inner(data, name))
    if (atUs !== undefined) return atUs
  }
  return undefined
}

/** The time of any field that reads as a full time, whatever its name. */
function anyTimeUs(data: object): number | undefined {
  for (const value of Object.values(data))
    if (typeof value === 'string' && value.length >= 19) {
      const atUs = timeUs(value)
      if (atUs !== undefined) return atUs
    }
  return undefined
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 60)
}
