import { createHash } from 'node:crypto'

/** A script's text and the digest that a server knows it by; hashed once. */
export interface Script {
  readonly text: string
  readonly sha: string
  /** It answers bytes: what else is a text comes as a Buffer. */
  readonly bytes: boolean
}

export function scriptOf(text: string, { bytes = false }: { readonly bytes?: boolean } = {}): Script {
  return Object.freeze({ text, sha: createHash('sha1').update(text).digest('hex'), bytes })
}
