import { Document, Scalar, visit } from 'yaml'
import type { Data } from './to-tree.ts'

/** Line ends, terminal control characters, and characters that change the direction of text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const eachUnprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The text of a file of limits. Names may be any text, so characters that a terminal obeys are escaped. */
export function textOfTree(data: Data): string {
  const document = new Document(data)
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && unprintable.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  // In double quotes, each such character may be written by its number.
  return document.toString({ lineWidth: 0 }).replace(eachUnprintable, escaped)
}

function escaped(sign: string): string {
  return `\\U${(sign.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}
