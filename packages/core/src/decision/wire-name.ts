const plainText = /^[ !#$&-[\]-~]*$/

/**
 * A policy's name as the fields and the problem details carry it: whatever is not printable ASCII, and `%`,
 * `"` and `\`, is percent-encoded as UTF-8, so that it can stand between the quotes of an RFC 9651 String.
 * Different names stay different (half surrogate pairs aside). Encode once: a second time encodes the `%`.
 *
 * @example
 * wireName('Füttern') // 'F%C3%BCttern'
 */
export function wireName(text: string): string {
  if (plainText.test(text)) return text
  let encoded = ''
  for (const byte of new TextEncoder().encode(text)) encoded += spelled(byte)
  return encoded
}

function spelled(byte: number): string {
  const character = String.fromCharCode(byte)
  return plainText.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
