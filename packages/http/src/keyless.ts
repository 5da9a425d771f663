import type { Key } from '@sluice/core'

const mark = 'keyless'
const marked = /^keyless~*:/

/**
 * The key of a client of whom a key function knows none: its network, by a name that no answer of a key function has, or a user who
 * is called as an address would share, and use up, the count of its clients.
 *
 * @example
 * keyless('203.0.113.7') // 'keyless:203.0.113.7'
 */
export function keyless(network: string): string {
  return `${mark}:${network}`
}

/** What a key function answers, unchanged unless it begins like a key of `keyless`: then it has a tilde more, so that no two answers meet. */
export function ownKey(answer: Key): Key {
  if (typeof answer === 'string') return ownText(answer)
  // A list of one is one key with its member.
  if (typeof answer === 'object' && answer.length === 1) return ownKey(answer[0] ?? '')
  return answer
}

function ownText(text: string): string {
  return text.startsWith(mark) && marked.test(text) ? `${mark}~${text.slice(mark.length)}` : text
}
