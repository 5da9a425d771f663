/** What a label's value may not hold there, or what a filter would read otherwise; `%` marks the escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unsafe = /[%(),="'\u0000-\u001f\u007f]/g
const escaped = /%([0-9a-f]{2})/g
/** An empty value is an error there. */
const empty = '%'

/** A text as TimeSeries takes it for a label. */
export function safeLabel(text: string): string {
  if (text === '') return empty
  return text.replace(unsafe, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

export function readLabel(label: string): string {
  if (label === empty) return ''
  return label.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
