/** A name out of a file may hold what ends a line, or what a terminal obeys. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, encodeURIComponent)
}
