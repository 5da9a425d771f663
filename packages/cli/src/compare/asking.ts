import type { Entry } from './log/entry.ts'
import { clientOf as networkClient } from './log/network.ts'
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
    const name = clientOf(entry)
    const keyName = keyOf === clientOf ? name : keyOf(entry)
    const path = pathOf === undefined ? noPath : pathOf(entry)
    if (name === undefined || keyName === undefined || path === undefined) return undefined
    const cost = costOf === undefined ? 1 : wholeNumberIn(costOf(entry))
    if (cost === undefined) return 'a whole number of units'
    const client = kept(name)
    const key = keyOf === clientOf ? client : kept(keyName)
    return { atUs: entry.atUs, client, key, cost, path: pathOf === undefined ? noPath : path.map(kept) }
  }
}

/** A copy, as a part that is cut out of a text keeps all of that text in memory for as long as it lives itself. */
function kept(name: string): string {
  return Buffer.from(name, 'utf8').toString('utf8')
}

function wholeNumberIn(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && /^\d{1,15}$/.test(text) && Number.isSafeInteger(number) ? number : undefined
}

/** One count for all requests. */
export const everybody: Pick = () => 'everybody'

export const byNetwork: Pick = (entry) => {
  const ip = entry.field('ip')
  return ip === undefined ? undefined : networkClient(ip)
}

/** The path without its query. */
export const byPath: Pick = (entry) => entry.field('path')?.split(/[?#]/, 1)[0]

export function byField(name: string): Pick {
  return (entry) => entry.field(name)
}
