import { styleText } from 'node:util'

/** Bold on a terminal that supports it; plain in a pipe, in a file and with NO_COLOR. */
export function bold(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText('bold', text) : text
}

/** Escapes terminal control characters, direction changes and unusual line ends in foreign text. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign === '\n' ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
