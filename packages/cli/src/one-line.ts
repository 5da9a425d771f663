/** Line ends, terminal control characters (C0, C1), and characters that change the direction of text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Escapes line ends and terminal control characters, which a name in a file may contain. */
export function oneLine(text: string): string {
  return text.replace(unprintable, encodeURIComponent)
}

/** As `oneLine`, for each line of a text. */
export function ownLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** JSON without terminal control characters: JSON itself escapes only C0. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  // Outside of strings, line ends are the only control characters in JSON.
  return text.replace(unprintable, (sign) => (sign === '\n' ? sign : jsonEscapes(sign)))
}

/** The same in one line. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, jsonEscapes)
}

/** One escape for each UTF-16 unit. */
function jsonEscapes(sign: string): string {
  let escapes = ''
  for (let i = 0; i < sign.length; i++) escapes += `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escapes
}
