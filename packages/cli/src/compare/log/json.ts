import { isRecord } from '@sluice/core/internal'
import type { Entry, Parse } from './entry.ts'
import { timeUs } from './time.ts'

/** The default places of a field; a dot leads into an object. */
const usual: Readonly<Record<string, readonly string[]>> = {
  time: ['time', 'timestamp', '@timestamp', 'ts', 'time_iso8601', 'msec', 'datetime', 'date', 'StartUTC'],
  ip: [
    ...[
      'ip',
      'remote_addr',
      'remote_ip',
      'client_ip',
      'clientIp',
      'remoteAddress',
      'remote_address',
      'client',
    ],
    ...['request.client_ip', 'request.remote_ip', 'req.ip', 'req.remoteAddress', 'ClientHost', 'host'],
    ...['httpRequest.remoteIp'],
  ],
  user: ['user', 'user_id', 'userId', 'username', 'remote_user', 'req.user', 'ClientUsername'],
  method: [
    ...['method', 'request_method', 'http_method', 'req.method', 'request.method', 'RequestMethod'],
    'httpRequest.requestMethod',
  ],
  path: [
    ...['path', 'uri', 'url', 'request_uri', 'req.url', 'request.uri', 'RequestPath'],
    'httpRequest.requestUrl',
  ],
  status: ['status', 'status_code', 'statusCode', 'res.statusCode', 'response.status', 'DownstreamStatus'],
}

/** Lines of JSON. `names` gives other places of fields than the usual ones: `{ ip: 'client.addr' }`. */
export function parseJson(names: Readonly<Record<string, string>> = {}): Parse {
  const given = Object.entries(names).map(([field, name]) => [field, [name]] as const)
  const places: typeof usual = { ...usual, ...Object.fromEntries(given) }
  const times = places.time ?? []
  return (line) => {
    const data = objectIn(line)
    if (data === undefined) return 'a JSON object'
    const time = valueIn(data, times)
    if (time === undefined) return `a time in one of ${times.join(', ')}`
    const atUs = timeUs(time)
    if (atUs === undefined) return `a time such as "2026-01-31T10:00:00Z" or 1769853600, got ${shown(time)}`
    return new JsonEntry(atUs, data, places)
  }
}

class JsonEntry implements Entry {
  readonly atUs: number
  readonly #data: object
  readonly #places: Readonly<Record<string, readonly string[]>>

  constructor(atUs: number, data: object, places: Readonly<Record<string, readonly string[]>>) {
    this.atUs = atUs
    this.#data = data
    this.#places = places
  }

  field(name: string): string | undefined {
    const places = Object.hasOwn(this.#places, name) ? this.#places[name] : undefined
    const value = valueIn(this.#data, places ?? [name])
    return value === '' || value === '-' || typeof value === 'object'
      ? undefined
      : String(value ?? '') || undefined
  }
}

function objectIn(line: string): object | undefined {
  try {
    const data: unknown = JSON.parse(line)
    return isRecord(data) ? data : undefined
  } catch {
    return undefined
  }
}

function valueIn(data: object, names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(data, name) ? (data as Record<string, unknown>)[name] : inner(data, name) // an own property
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

function inner(data: object, name: string): unknown {
  if (!name.includes('.')) return undefined
  let value: unknown = data
  for (const part of name.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 60)
}
