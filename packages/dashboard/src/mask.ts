import type { Key } from '@sluice/core'

/** The most characters shown of a masked key, which may be a token. */
const maxShown = 8
const maxDots = 6
/** The most characters that fit on a line of the table. */
const maxLength = 100

/** A key as text, whole or masked. A path becomes one text. */
export function keyText(key: Key, masked: boolean): string {
  // What is cut off is not read: it may be a megabyte.
  const members = (Array.isArray(key) ? key : [key]).slice(0, maxLength)
  const texts = members.map((member) => visibleText(String(member).slice(0, maxLength + 1), masked))
  return cut(texts.join(' / '))
}

/** A part of a key, or a note, for display. Keys that differ only in invisible characters are shown differently. */
export function visibleText(text: string, masked: boolean): string {
  const shown = masked ? mask(text) : text
  return shown.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** `bo•`, `al••`, `203.0.113.••`: at most the first half, or the first three numbers of an IPv4 address. */
export function mask(text: string): string {
  const [network] = /^\d{1,3}(?:\.\d{1,3}){2}\.(?=\d{1,3}$)/.exec(text) ?? []
  if (network !== undefined) return `${network}••`
  const signs = [...text.slice(0, maxLength)]
  const shown = Math.min(Math.ceil(signs.length / 2), signs.length - 1, maxShown)
  return signs.slice(0, shown).join('') + '•'.repeat(Math.min(signs.length - shown, maxDots))
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
