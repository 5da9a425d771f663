import { isRecord } from '@sluice/core/internal'
import type { Parsed } from './entry.ts'
import { type Places, recordEntry, valueIn } from './record-entry.ts'

/** Names of fields into which collectors put the line that a program wrote. */
const wrapped = [
  ...['log', 'message', 'MESSAGE', 'msg', 'textPayload', '@message', 'line', 'event.original', '_raw'],
  ...['Message', 'Log', 'content', 'Content', 'body', 'short_message'],
]
/** Matches what every line of a request has, or the colours that may stand before it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is looked for
const likeRequest = /^\s*[{\u001b]|\b(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH)\b|" [1-5]\d\d\b|\bmethod=/

/** What is expected where an object is not whole on its line. */
export const oneObject = "a JSON object on one line, as jq -c . writes it, or jq -c '.[]' of a list"

/** Reads a log line that is the value of a field in another line. */
export type ParseInner = (line: string, time: string | undefined) => Parsed

/** Reads an object as a request, or the line of a program that a collector has put into it. */
export function parseRecord(
  data: object,
  { places, inner, time: frontTime }: { places: Places; inner: ParseInner; time: string | undefined },
): Parsed {
  const entry = recordEntry(data, places, frontTime)
  if (typeof entry !== 'string' && entry.isRequest) return entry
  const text = valueIn(data, wrapped)
  if (typeof text !== 'string' || !likeRequest.test(text)) return entry
  const time = valueIn(data, places.time ?? [])
  const within = inner(text.trimEnd(), time === undefined ? frontTime : String(time))
  return typeof within === 'object' ? within : entry
}

/**
 * The object that a line is, or ends with; null for a line that begins with an object or a list that is not whole, undefined for other
 * text. A comma behind it and brackets around it belong to a list that has one object on each line.
 */
export function objectIn(line: string): object | null | undefined {
  const text = line.trim()
  if (/^\{\s*(?:["}]|$)/.test(text)) return parsed(text) ?? parsed(text.replace(/\s*,$|\s*\]$/, '')) ?? null
  if (text === '[') return null
  if (/^[[,]\s*\{/.test(text)) return parsed(text.replace(/^[[,]\s*|\s*,$|\s*\]$/g, '')) ?? null
  if (!text.endsWith('}')) return undefined
  const at = text.search(/[ \t]\{\s*"/)
  return at < 0 ? undefined : parsed(text.slice(at + 1))
}

function parsed(text: string): object | undefined {
  try {
    const data: unknown = JSON.parse(text)
    return isRecord(data) ? data : undefined
  } catch {
    return undefined
  }
}
