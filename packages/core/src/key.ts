import { optionError } from './errors.ts'
import { littleEndian, sha256Hex } from './runtime.ts'

/** What is counted. A list is joined so that different lists never meet: `[email, network]`. 7 and '7' are one key. */
export type Key = string | number | bigint | readonly (string | number | bigint)[]

/** Longer names are hashed, so that a client does not choose how much a store keeps. */
const longest = 200

/** Joins the members of a list key. A sign that is rare in texts, as a text that holds it is escaped. */
const separator = ','

const escapeMember = escaping(separator)

/** Escapes what is joined by colons: the names of limiters, policies, queues. */
export const encodeText: (text: string) => string = escaping(':')

/**
 * Injective: different texts never become the same name. Escaped are what joins names, the braces of a cluster's tag, the escape
 * itself, control characters, and lone surrogates (two of them are the same bytes in UTF-8); nothing else.
 */
function escaping(joint: string): (text: string) => string {
  const some = new RegExp(String.raw`[%{}${joint}\u0000-\u001f\u007f\ud800-\udfff]`)
  // With the u flag a pair of surrogates is one character outside this class; only lone ones match.
  const each = new RegExp(some, 'gu')
  return (text) => (some.test(text) ? text.replace(each, escapeUnit) : text)
}

function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/**
 * The name under which a key is stored. Of a list key with more members than `tag`, the first `tag` stand before a closing brace, which
 * no text in a name contains: they choose the cluster slot. Throws an OptionError for what is no key.
 */
export function encodeKey(key: Key, tag: number = Number.POSITIVE_INFINITY): string {
  if (Array.isArray(key) && key.length > tag) {
    // A cluster ignores an empty tag.
    return `${joinMembers(key, 0, tag) || '%'}}:${joinMembers(key, tag, key.length)}`
  }
  const name = Array.isArray(key) ? joinMembers(key, 0, key.length) : nameOfText(memberText(key))
  if (name === '') throw wrongKey(key)
  return name
}

/** Whether a key's name is also the text of that key, which is then stored as it is. */
export function isOwnName(name: string): boolean {
  return nameOfText(name) === name
}

function nameOfText(text: string): string {
  if (text.length > longest) return hashed([text], 0, 1)
  const name = escapeMember(text)
  return name.length <= longest ? name : hashed([text], 0, 1)
}

/** Looks at no more than a name may hold: longer lists are hashed without being escaped, whatever they contain. */
function joinMembers(members: readonly unknown[], from: number, to: number): string {
  let name = ''
  for (let i = from; i < to; i++) {
    const text = memberText(members[i])
    if (name.length + text.length > longest) return hashed(members, from, to)
    name += i === from ? escapeMember(text) : separator + escapeMember(text)
  }
  return name.length <= longest ? name : hashed(members, from, to)
}

function memberText(member: unknown): string {
  if (isKeyMember(member)) return String(member)
  throw wrongKey(member)
}

/** Whether it is a member of a list key: a single key or an empty text. */
function isKeyMember(value: unknown): value is string | number | bigint {
  return (
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    (typeof value === 'number' && !Number.isNaN(value))
  )
}

/** Whether `encodeKey` takes it. */
export function isKey(value: unknown): value is Key {
  if (!Array.isArray(value)) return value !== '' && isKeyMember(value)
  for (const member of value) if (!isKeyMember(member)) return false
  return value.length > 1 || (value.length === 1 && value[0] !== '')
}

/** Whether a text has no lone surrogate. The engine says so where it can: a pattern takes several times as long, and time to make. */
function isWellFormed(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text)
}

/** 128 bits of the members and their lengths, behind a mark that no escaped name has. */
function hashed(members: readonly unknown[], from: number, to: number): string {
  const lengths: number[] = []
  for (let i = from; i < to; i++) lengths.push(memberText(members[i]).length)
  const text = `${lengths.join()}:${members.slice(from, to).join('')}`
  return `%%${sha256Hex(isWellFormed(text) ? text : unitsOf(text)).slice(0, 32)}`
}

/** The UTF-16 of a text with lone surrogates, all of which are the same bytes in UTF-8. Stands behind a byte that no UTF-8 has. */
function unitsOf(text: string): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * text.length)
  bytes[0] = 0xff
  bytes.set(littleEndian(text), 1)
  return bytes
}

function wrongKey(key: unknown): Error {
  return optionError('key', 'a string, a number or a list of them, and not an empty one', key)
}

/**
 * Begins the name of every state. Its digit is the format of what is stored: a change to that, or to how keys are spelled, raises
 * it, so that old and new processes run side by side.
 */
export const stateFormat = 'sl3:'
/** Begins the names of queues and recordings, which are stored as in the first version. */
export const firstFormat = 'sl1:'

/** Follows the name of a state in the name of the key that counts its blocks. No strategy's code is spelled so. */
const blocksMark = ':%b'

/** The name under which the blocks of a state's key are counted: in the same cluster slot. */
export function blocksKey(prefix: string, check: { readonly id: string; readonly key: string }): string {
  return stateKey(prefix, check) + blocksMark
}

/** Follows the brace in the name of the key that says since when a state's key is counted anew. Nothing else follows a brace so. */
const resetMark = '}%r'

/** The name under which the last reset of a state's key is kept: in the same cluster slot. */
export function resetKey(prefix: string, check: { readonly id: string; readonly key: string }): string {
  return prefix + stateKey('', check).replace('}', resetMark)
}

/**
 * The state's name. The part in braces chooses the cluster slot: it is the whole key, or, where the key has a brace of its own, the
 * text before that brace. The key ends with the last brace, whatever stands in it.
 */
export function stateKey(prefix: string, { id, key }: { readonly id: string; readonly key: string }): string {
  return `${prefix}{${key}}:${id}`
}

/** The name of a check's state, as Redis and state stores spell it. */
export function stateName(check: { readonly id: string; readonly key: string }): string {
  return stateKey(stateFormat, check)
}
