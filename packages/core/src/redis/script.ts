import { sha1Hex } from '../runtime.ts'

/** A script's text and the digest that a server knows it by; hashed once. */
export interface Script {
  readonly text: string
  readonly sha: string
  /** It answers bytes: what else is a text comes as a Uint8Array, which a Buffer is. */
  readonly bytes: boolean
}

export function scriptOf(text: string, { bytes = false }: { readonly bytes?: boolean } = {}): Script {
  return Object.freeze({ text, sha: sha1Hex(text), bytes })
}
