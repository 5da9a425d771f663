import type { Warning } from '@sluice/core'
import { mask } from './mask.ts'
import { withoutAddresses } from './words.ts'

const maxLength = 300

/** Events of files that are read again. */
export const reloadTitles: { readonly [code: string]: string } = {
  SLUICE_RELOAD_FAILED: 'A file could not be read again',
  SLUICE_RELOADED: 'A file can be read again',
}

/** Codes whose messages contain only our own text. For our other codes that is only the part before the first colon. */
const ownWords: ReadonlySet<string> = new Set([
  'SLUICE_CLIENT_HALF_OPEN',
  'SLUICE_CLIENT_NO_RECONNECT',
  'SLUICE_CLIENT_READONLY',
  'SLUICE_CROSSSLOT',
  'SLUICE_FORBIDDEN',
  'SLUICE_KEY_FOREIGN',
  'SLUICE_LEASE_LOST',
  'SLUICE_LONG_WAIT',
  'SLUICE_MAX_SLEEPERS',
  'SLUICE_MADE_PER_REQUEST',
  'SLUICE_MEMORY_FULL',
  'SLUICE_NAMES_FULL',
  'SLUICE_NO_ADDRESS',
  'SLUICE_NO_GUARD',
  'SLUICE_PROXY_UNTRUSTED',
  'SLUICE_QUEUE_FORGETS',
  'SLUICE_QUEUE_ORPHANS',
  'SLUICE_SAME_NAME',
  'SLUICE_SERIES_FAILED',
  'SLUICE_SERIES_FULL',
  'SLUICE_SHORT_TIME',
  'SLUICE_TRUST_ALL',
  'SLUICE_UNCOUNTED',
])

/** A warning for display. `masked`: errors of users' functions may contain a key, and are masked like one. */
export function warnedWords({ code, message }: Warning, masked: boolean): string {
  const text = message.slice(0, maxLength)
  return withoutAddresses(masked && !ownWords.has(code) ? maskThrown(code, text) : text)
}

function maskThrown(code: string, text: string): string {
  const colon = code.startsWith('SLUICE_') ? text.indexOf(': ') : -1
  return colon < 0 ? mask(text) : `${text.slice(0, colon)}: ${mask(text.slice(colon + 2))}`
}
