import { oneLine } from '../../one-line.ts'
import type { LogFacts } from '../comparison.ts'
import type { Choice } from './choice.ts'

const mostLogs = 4

/** Lines that say what was taken for the client in each log, why, and how sure that is. */
export function clientLines(log: LogFacts | null): readonly string[] {
  if (log === null) return []
  const several = new Set(log.clients.map(({ source }) => source)).size > 1
  const lines = log.clients.map(
    (choice) => `client${several ? ` in ${oneLine(choice.source)}` : ''}: ${choiceWords(choice)}`,
  )
  const different = [...new Set(lines)]
  const more = different.length - mostLogs
  return more > 0 ? [...different.slice(0, mostLogs), `and ${more} more`] : different
}

/** `http_x_forwarded_for, past the proxies in remote_addr; sure: addresses in 540 of 540 lines` */
function choiceWords({ chain, peer, confidence, why }: Choice): string {
  const field = placeWords(chain ?? peer ?? '')
  const past = chain !== null && peer !== null ? `, past the proxies in ${placeWords(peer)}` : ''
  return `${field}${past}; ${confidence}: ${oneLine(why)}`
}

/** A field as people count it. */
export function placeWords(name: string): string {
  if (/^\d+$/.test(name)) return `field ${name} of the line`
  if (/^-\d+$/.test(name)) return `field ${name} from the end`
  return /^\+\d+$/.test(name) ? `field ${name}, behind the request` : oneLine(name)
}
