import { createHash } from 'node:crypto'

/** A script's text and the digest that a server knows it by; hashed once. */
export interface Script {
  readonly text: string
  readonly sha: string
}

export function scriptOf(text: string): Script {
  return Object.freeze({ text, sha: createHash('sha1').update(text).digest('hex') })
}
