import { Document, Scalar, visit } from 'yaml'
import type { Data } from './to-tree.ts'

/** Line ends, terminal control characters, and characters that change the direction of text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const eachUnprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A file of limits, of which a terminal obeys nothing: names may be any text. */
export function textOfTree(data: Data): string {
  const document = new Document(data)
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && unprintable.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  // Between such quotes, each may be written by its number.
  return document.toString({ lineWidth: 0 }).replace(eachUnprintable, escaped)
}

function escaped(sign: string): string {
  return `\\U${(sign.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}
