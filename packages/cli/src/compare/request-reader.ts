import type { Entry } from './log/entry.ts'
import { clientOf as networkClient } from './log/network.ts'
import type { Request } from './request.ts'

/** Converts a log entry to a request; returns what was expected if it is not valid, or undefined if it has no such client or key. */
export type RequestReader = (entry: Entry) => Request | string | undefined

/** Reads one field of an entry, such as `ip`, `user` or `field:tenant`. */
export type FieldReader = (entry: Entry) => string | undefined

export interface RequestFields {
  readonly client: FieldReader
  readonly key: FieldReader
  /** undefined if each request costs 1. */
  readonly cost: FieldReader | undefined
  /** undefined if there is no file of limits. */
  readonly path: ((entry: Entry) => readonly string[] | undefined) | undefined
}

const noPath: readonly string[] = []

export function requestReader({
  client: clientOf,
  key: keyOf,
  cost: costOf,
  path: pathOf,
}: RequestFields): RequestReader {
  return (entry) => {
    const name = clientOf(entry)
    const keyName = keyOf === clientOf ? name : keyOf(entry)
    const path = pathOf === undefined ? noPath : pathOf(entry)
    if (name === undefined || keyName === undefined || path === undefined) return undefined
    const cost = costOf === undefined ? 1 : wholeNumberIn(costOf(entry))
    if (cost === undefined) return 'a whole number of units'
    const client = copied(name)
    const key = keyOf === clientOf ? client : copied(keyName)
    return { atUs: entry.atUs, client, key, cost, path: pathOf === undefined ? noPath : path.map(copied) }
  }
}

/** A copy, because a substring keeps the whole string that it was cut from in memory. */
function copied(name: string): string {
  return Buffer.from(name, 'utf8').toString('utf8')
}

function wholeNumberIn(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && /^\d{1,15}$/.test(text) && Number.isSafeInteger(number) ? number : undefined
}

/** One key for all requests. */
export const everybody: FieldReader = () => 'everybody'

export const byNetwork: FieldReader = (entry) => {
  const ip = entry.field('ip')
  return ip === undefined ? undefined : networkClient(ip)
}

/** The path without its query. */
export const byPath: FieldReader = (entry) => entry.field('path')?.split(/[?#]/, 1)[0]

export function byField(name: string): FieldReader {
  return (entry) => entry.field(name)
}
