import { timeUs } from './time.ts'
import type { Token } from './tokens.ts'

/** When a request was, and where in its line that stands. */
export interface TimePlace {
  readonly atUs: number
  /** The first token of the time; −1 where it stood in the line's front. */
  readonly token: number
}

/** The first time of a line, or a later one in brackets before a request in quotes, as a user's name may read as a time. */
export function timeIn(line: string, tokens: readonly Token[]): TimePlace | undefined {
  let first: TimePlace | undefined
  for (const [i, token] of tokens.entries()) {
    const atUs = timeAt(tokens, i, token)
    if (atUs === undefined) continue
    if (line[token.start] === '[' && tokens[i + 1]?.quoted === true) return { atUs, token: i }
    first ??= { atUs, token: i }
  }
  return first
}

const time = /^\[?(?:\d{2}\/[A-Z]|\d{4}[-/]\d\d[-/]\d\d|[A-Z][a-z]{2},? |\d{10}\.\d|\d{13}$)/

function timeAt(tokens: readonly Token[], i: number, { text, quoted }: Token): number | undefined {
  // `Tue, 10 Mar 2026 13:00:00 GMT` without quotes, as morgan writes `:date`.
  if (/^[A-Z][a-z]{2},$/.test(text)) return timeUs(textOf(tokens.slice(i, i + 6)))
  if (!time.test(text)) return undefined
  const whole = timeUs(text)
  // A number of seconds is a time only at the beginning of a line: elsewhere it may be anything.
  if (whole !== undefined) return /^\d{10}/.test(text) && i > 2 ? undefined : whole
  if (quoted || text.length !== 10) return undefined
  // The token is a day, and the time of day is in the next one.
  const dash = tokens[i + 1]?.text === '-' ? 1 : 0
  const clock = tokens[i + 1 + dash]?.text ?? ''
  const zone = tokens[i + 2 + dash]?.text ?? ''
  return timeUs(`${text} ${clock}${/^(?:[+-]\d{4}|UTC)$/.test(zone) ? ` ${zone}` : ''}`)
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(' ')
}

/** The time that a collector put before the line. */
export function frontTimePlace(text: string | undefined): TimePlace | undefined {
  const atUs = text === undefined ? undefined : timeUs(text)
  return atUs === undefined ? undefined : { atUs, token: -1 }
}
