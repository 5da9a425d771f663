import { styleText } from 'node:util'

/** Bold on a terminal that knows it; plain in a pipe, in a file and with NO_COLOR. */
export function bold(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText('bold', text) : text
}

/** Foreign text with nothing in it that a terminal obeys, that turns the letters around it or, but for line ends, ends a line. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign === '\n' ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
