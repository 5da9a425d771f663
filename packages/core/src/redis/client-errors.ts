import { isStoreError, type StoreError, storeError } from '../errors.ts'
import { firstFormat, stateFormat } from '../key.ts'

function startsWith(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word)
}

/** The server is a replica, which takes no writes. Redis 6 says so within the error of a script. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && /(^|-)READONLY /.test(error.message)
}

/** Keys that a cluster does not hold in one place: none was touched, and smaller calls will do. */
export function isTooWide(error: unknown): boolean {
  return isCrossSlot(error) || startsWith(error, 'TRYAGAIN')
}

export function isCrossSlot(error: unknown): boolean {
  return startsWith(error, 'CROSSSLOT')
}

/** Where else a cluster holds the key: nothing was run. */
export interface Redirection {
  /** The slot is on its way there (ASK), and has not moved as a whole (MOVED). */
  readonly asking: boolean
  readonly address: string
}

/** undefined: the error is another one. */
export function redirectionOf(error: unknown): Redirection | undefined {
  const [word, , address = ''] = error instanceof Error ? error.message.split(' ') : []
  return word === 'MOVED' || word === 'ASK' ? { asking: word === 'ASK', address } : undefined
}

/** Where a server begins to repeat the arguments of a call, or one of its keys: every key of ours has the mark of its format. */
const repeated = [', with args beginning with: ', stateFormat, firstFormat]

/**
 * A client's error as it goes up: what it says, without keys. They stand in what servers answer, and ioredis keeps the whole command
 * in its errors; an error may end up in a log, causes and all, so nothing but the cut text is taken over.
 */
export function withoutKeys(error: unknown): StoreError {
  if (isStoreError(error)) return error
  const said = error instanceof Error ? error.message || error.name : String(error)
  let end = said.length
  for (const mark of repeated) {
    const at = said.indexOf(mark)
    if (at >= 0 && at < end) end = at
  }
  return storeError('redis', said.slice(0, end) || 'the server has refused')
}
