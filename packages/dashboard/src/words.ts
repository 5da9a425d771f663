import type { StoreState } from './wire.ts'

/** `redis` → `Redis`; other names change only in their first letter. */
export function storeName(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

const meanwhile = {
  local: 'Counting in each process (onStoreFailure: local).',
  allow: 'Everything passes (onStoreFailure: allow).',
  deny: 'Every request is refused with 503 (onStoreFailure: deny).',
  mixed: 'Each limiter decides as its onStoreFailure says.',
} as const

/** Why a store is unavailable, and what happens until it is back. */
export function awayWords(error: unknown, onFailure: StoreState['onFailure']): string {
  return `${reasonOf(error)} ${meanwhile[onFailure]}`
}

/** Text for the end of an outage; from when counts are exact again, the page says with its viewer's clock. */
export function backWords(awayMs: number, localUnits: number): string {
  return `Away for ${elapsed(awayMs)}, ${count(localUnits)} decided locally.`
}

/** A code, or a message of our own store: other messages may contain addresses. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed.'
  const { message } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'SLUICE_STORE' && /^[a-z ]+(?: \d+ ms)?$/.test(message)) return `${storeName(message)}.`
  if (/^E[A-Z0-9_]{2,40}$/.test(code)) return `${code}.`
  // Node's own say what failed and its code; a server's begin with a word such as READONLY or LOADING.
  const [, system] = /\b(?:connect|read|write|getaddrinfo) (E[A-Z_]{2,20})\b/.exec(message) ?? []
  const [, word = system] = /^(?:not connected: )?([A-Z]{3,20}) /.exec(message) ?? []
  if (word !== undefined) return `${word}.`
  if (code === 'SLUICE_STORE' && message.startsWith('not connected: ')) return 'Not connected.'
  return error.name === 'Error' ? 'It failed.' : `${error.name.slice(0, 40)}.`
}

/** `18 s`, `3 min 10 s`, `2 h 5 min` */
export function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return pair(seconds, 60, ['min', 's'])
  return pair(Math.round(seconds / 60), 60, ['h', 'min'])
}

function pair(value: number, base: number, [large, small]: readonly [string, string]): string {
  const rest = value % base
  return `${Math.floor(value / base)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

function count(units: number): string {
  return units.toLocaleString('en')
}

// Each part of unbounded length starts where no sign of its kind precedes it, so that matching is linear.
const addresses = [
  /(?<![a-z\d+.-])[a-z\d+.-]+:\/\/\S+/gi,
  /\[[\da-f:]+\](?::\d+)?/gi,
  /(?:[\da-f]{0,4}:){3,}[\da-f]{0,4}/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /(?<![\w.-])[\w.-]+:\d{2,5}\b/g,
]

/** A message that quotes another program's error, without addresses. */
export function withoutAddresses(text: string): string {
  return addresses.reduce((masked, address) => masked.replace(address, '(address)'), text)
}
