import { createHash } from 'node:crypto'
import { describe } from './errors.ts'

/** What is counted. A list is joined so that different lists never meet: `[email, network]`. 7 and '7' are one key. */
export type Key = string | number | bigint | readonly (string | number | bigint)[]

/** Longer names are hashed: what a client sends does not choose how much a store keeps. */
const longest = 200

// The delimiters of stored names, the escape itself, control characters, and surrogates (two lone ones are the same bytes in UTF-8).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const special = /[%:{}\u0000-\u001f\u007f\ud800-\udfff]/

function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** Injective: different texts never become the same name, and no delimiter is left in it. */
export function encodeText(text: string): string {
  if (!special.test(text)) return text
  // With the u flag a pair of surrogates is one character outside this class; only lone ones match.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  return text.replace(/[%:{}\u0000-\u001f\u007f]|\p{Surrogate}/gu, escapeUnit)
}

/**
 * The name under which a key is stored. Of a list key with more members than `tag` the first `tag` stand before a closing brace,
 * which nothing else in a name is: they choose the cluster slot. Throws a TypeError for what is no key.
 */
export function encodeKey(key: Key, tag: number = Number.POSITIVE_INFINITY): string {
  if (Array.isArray(key) && key.length > tag) return encodeTagged(key, tag)
  const name = Array.isArray(key) ? joinMembers(key) : encodeMember(key)
  if (name === '') throw wrongKey(key)
  return atMostLongest(name)
}

function encodeTagged(members: readonly unknown[], tag: number): string {
  // Of an empty tag a cluster takes no notice.
  const first = atMostLongest(joinMembers(members.slice(0, tag))) || '%'
  return `${first}}:${atMostLongest(joinMembers(members.slice(tag)))}`
}

function atMostLongest(name: string): string {
  return name.length <= longest ? name : hashed(name)
}

function joinMembers(members: readonly unknown[]): string {
  let name = ''
  for (let i = 0; i < members.length; i++) {
    const member = encodeMember(members[i])
    name = i === 0 ? member : `${name}:${member}`
  }
  return name
}

function encodeMember(member: unknown): string {
  if (typeof member === 'string') return encodeText(member)
  if (isKeyMember(member)) return String(member)
  throw wrongKey(member)
}

/** true for a member of a list key: a single key or an empty text. */
export function isKeyMember(value: unknown): value is string | number | bigint {
  return (
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    (typeof value === 'number' && !Number.isNaN(value))
  )
}

/** true for what `encodeKey` takes. */
export function isKey(value: unknown): value is Key {
  if (!Array.isArray(value)) return value !== '' && isKeyMember(value)
  for (const member of value) if (!isKeyMember(member)) return false
  return value.length > 1 || (value.length === 1 && value[0] !== '')
}

/** 128 bits, behind a mark that no escaped name has. */
function hashed(name: string): string {
  return `%%${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

function wrongKey(key: unknown): TypeError {
  return new TypeError(
    `key: expected a text, a number or a list of them, and not an empty one, got ${describe(key)}`,
  )
}

/** Begins the name of every state; `1` is the format of what is stored: a change to it changes the digit, so that old and new processes run side by side. */
export const stateFormat = 'sl1:'

/**
 * The state's name. The braces choose the cluster slot: the whole key stands in them, or, where it has a brace of its own, what
 * stands before that.
 */
export function stateKey(prefix: string, { id, key }: { readonly id: string; readonly key: string }): string {
  return key.includes('}') ? `${prefix}{${key}:${id}` : `${prefix}{${key}}:${id}`
}
