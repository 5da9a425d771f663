import { isStoreError, type StoreError, storeError } from '../errors.ts'
import { firstFormat, stateFormat } from '../key.ts'

function startsWith(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word)
}

/** Whether the server is a replica, which takes no writes. Redis 6 says so within the error of a script. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && /(^|-)READONLY /.test(error.message)
}

/** Whether a cluster does not hold the keys of a call in one place. No key was touched, and smaller calls will do. */
export function isTooWide(error: unknown): boolean {
  return isCrossSlot(error) || startsWith(error, 'TRYAGAIN')
}

export function isCrossSlot(error: unknown): boolean {
  return startsWith(error, 'CROSSSLOT')
}

/** The server to which a cluster refers for the key. Nothing was run. */
export interface Redirection {
  /** true: the slot is on its way there (ASK). false: it has moved there as a whole (MOVED). */
  readonly asking: boolean
  readonly address: string
}

/** The redirection that an error says. undefined: the error is another one. */
export function redirectionOf(error: unknown): Redirection | undefined {
  const [word, , address = ''] = error instanceof Error ? error.message.split(' ') : []
  return word === 'MOVED' || word === 'ASK' ? { asking: word === 'ASK', address } : undefined
}

/** From these marks on an error repeats the arguments of a call, or one of its keys: every key of ours has the mark of its format. */
const repeated = [', with args beginning with: ', stateFormat, firstFormat]

/**
 * A client's error as a StoreError without keys. Servers repeat keys in their errors, and ioredis keeps the whole command in its own.
 * An error may end up in a log together with its causes, so only the cut text is taken over.
 */
export function withoutKeys(error: unknown): StoreError {
  if (isStoreError(error)) return error
  let said = error instanceof Error ? error.message || error.name : String(error)
  // ioredis says this of a connection that has just ended, and advises what would not help.
  if (said.includes('enableOfflineQueue')) said = 'not connected'
  let end = said.length
  for (const mark of repeated) {
    const at = said.indexOf(mark)
    if (at >= 0 && at < end) end = at
  }
  return storeError('redis', said.slice(0, end) || 'the server has refused')
}
