/** Characters that a label's value must not contain, or that a filter would interpret; `%` begins an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unsafe = /[%(),="'\u0000-\u001f\u007f]/g
const escaped = /%([0-9a-f]{2})/g
/** Stands for an empty value, which is an error in TimeSeries. */
const empty = '%'

/** Escapes a text for a label in TimeSeries. */
export function safeLabel(text: string): string {
  if (text === '') return empty
  return text.replace(unsafe, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

export function readLabel(label: string): string {
  if (label === empty) return ''
  return label.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
