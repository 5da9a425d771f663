import { isIP } from 'node:net'
import type { Key } from '@sluice/core'
import { networkOf } from '@sluice/http'
import { UsageError } from '../exit-code.ts'
import { jsonLine, oneLine } from '../one-line.ts'

/** A key as it is typed: an address as middlewares count it, a list as JSON, anything else as it is. */
export interface TypedKey {
  readonly text: string
  readonly key: Key
  /** The address, where one was typed: lists know clients by it. */
  readonly address: string | undefined
}

export function readTypedKey(text: string): TypedKey {
  return { text, key: readKey(text), address: isIP(text) === 0 ? undefined : text }
}

export function readKey(text: string): Key {
  if (text === '') throw new UsageError('KEY must not be empty')
  if (text.startsWith('[')) return listOf(text)
  return isIP(text) === 0 ? text : networkOf(text)
}

function listOf(text: string): Key {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list) && list.length > 0 && list.every(isMember)) return list
  } catch {
    // Reported below.
  }
  throw new UsageError(`KEY: expected a list such as '["org-7","alice"]', got ${oneLine(text)}`)
}

function isMember(member: unknown): member is string | number {
  return typeof member === 'string' || typeof member === 'number'
}

/** The key as a limiter has it. `networkBits`: its keys are networks of clients, with that many bits of an IPv6 address. */
export function keyBy({ key, address }: TypedKey, networkBits: number | undefined): Key {
  return address === undefined || networkBits === undefined ? key : networkOf(address, networkBits)
}

/** Whether a text is taken for an address or a network, where either these or a key could be meant. */
export function readsAsAddress(text: string): boolean {
  return /^[\da-fA-F.:]+(?:\/\d+)?$/.test(text) && /[.:]/.test(text)
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The flag that narrows a command to one limiter, behind a space. */
export function limiterFlag(limiter: string | undefined): string {
  return limiter === undefined ? '' : ` --limiter ${shellWord(oneLine(limiter))}`
}

/** What a terminal would not show as it is, or a command line would take for something else. */
const unlikeItself = /^[[-]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** A key on one line, as it can be typed: a list with one text is that text's key. */
export function keyText(key: unknown): string {
  if (Array.isArray(key)) return jsonLine(key.map(String))
  const text = String(key)
  return unlikeItself.test(text) ? jsonLine([text]) : text
}
