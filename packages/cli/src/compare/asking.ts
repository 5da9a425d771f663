import type { Entry } from './log/entry.ts'
import { networkOf } from './log/network.ts'
import type { Request } from './request.ts'

/** What an entry asks; in words what is wrong with it, or undefined where it has no such client. */
export type Asking = (entry: Entry) => Request | string | undefined

/** What is read of an entry, by a name such as `ip`, `user` or `field:tenant`. */
export type Pick = (entry: Entry) => string | undefined

export interface AskingParts {
  readonly client: Pick
  readonly key: Pick
  /** undefined: each request costs 1. */
  readonly cost: Pick | undefined
  /** undefined: no file of limits is asked. */
  readonly path: ((entry: Entry) => readonly string[] | undefined) | undefined
}

const noPath: readonly string[] = []

export function askingOf({ client: clientOf, key: keyOf, cost: costOf, path: pathOf }: AskingParts): Asking {
  return (entry) => {
    const client = clientOf(entry)
    const key = keyOf === clientOf ? client : keyOf(entry)
    const path = pathOf === undefined ? noPath : pathOf(entry)
    if (client === undefined || key === undefined || path === undefined) return undefined
    const cost = costOf === undefined ? 1 : wholeNumberIn(costOf(entry))
    return cost === undefined ? 'a whole number of units' : { atUs: entry.atUs, client, key, cost, path }
  }
}

function wholeNumberIn(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && /^\d{1,15}$/.test(text) && Number.isSafeInteger(number) ? number : undefined
}

/** One count for all requests. */
export const everybody: Pick = () => 'everybody'

export const byNetwork: Pick = (entry) => {
  const ip = entry.field('ip')
  return ip === undefined ? undefined : networkOf(ip)
}

/** The path without its query. */
export const byPath: Pick = (entry) => entry.field('path')?.split(/[?#]/, 1)[0]

export function byField(name: string): Pick {
  return (entry) => entry.field(name)
}
