/** What ends a line, what a terminal obeys (C0, C1) or what turns the order of the letters around it. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A name out of a file may hold what ends a line, or what a terminal obeys. */
export function oneLine(text: string): string {
  return text.replace(unprintable, encodeURIComponent)
}

/** As `oneLine`, of a text that has lines of its own. */
export function ownLines(text: string): string {
  return text.split('\n').map(oneLine).join('\n')
}

/** JSON that a terminal shows and does not obey: of control characters JSON itself escapes C0 alone. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  // Outside of its texts JSON has line ends for its only control characters.
  return text.replace(unprintable, (sign) => (sign === '\n' ? sign : jsonEscapes(sign)))
}

/** One for each UTF-16 unit. */
function jsonEscapes(sign: string): string {
  let escapes = ''
  for (let i = 0; i < sign.length; i++) escapes += `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escapes
}
