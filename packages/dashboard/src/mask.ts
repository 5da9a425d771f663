import type { Key } from '@sluice/core'

/** A key may be a token: this is all that is shown of a long one. */
const mostShown = 8
const mostDots = 6
/** What fits on a line of the table. */
const longest = 100

/** A key as text, whole or masked. A path becomes one text. */
export function keyText(key: Key, masked: boolean): string {
  const members = Array.isArray(key) ? key : [key]
  return cut(members.map((member) => toldText(String(member), masked)).join(' / '))
}

/** A part of a key, or a note on who used it. Keys that differ only in invisible characters are shown differently. */
export function toldText(text: string, masked: boolean): string {
  const told = masked ? mask(text) : text
  return told.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** `bo•`, `al••`, `203.0.113.••`: the first half at most, of an IPv4 address its network. */
export function mask(text: string): string {
  const [network] = /^\d{1,3}(?:\.\d{1,3}){2}\.(?=\d{1,3}$)/.exec(text) ?? []
  if (network !== undefined) return `${network}••`
  const signs = [...text.slice(0, longest)]
  const shown = Math.min(Math.ceil(signs.length / 2), signs.length - 1, mostShown)
  return signs.slice(0, shown).join('') + '•'.repeat(Math.min(signs.length - shown, mostDots))
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
