import type { Key } from '@sluice/core'

const mark = 'keyless'
const marked = /^keyless~*:/

/**
 * The key of a client for which a key function has none: its network, by a name that no answer of a key function has. Otherwise a user
 * whose name is an address would share, and use up, the count of the clients there.
 *
 * @example
 * keyless('203.0.113.7') // 'keyless:203.0.113.7'
 */
export function keyless(network: string): string {
  return `${mark}:${network}`
}

/** The answer of a key function. One that begins like a key of `keyless` gets a tilde more, so that no two answers become one key. */
export function ownKey(answer: Key): Key {
  if (typeof answer === 'string') return ownText(answer)
  // A list of one is one key with its member.
  if (typeof answer === 'object' && answer.length === 1) return ownKey(answer[0] ?? '')
  return answer
}

function ownText(text: string): string {
  return text.startsWith(mark) && marked.test(text) ? `${mark}~${text.slice(mark.length)}` : text
}
