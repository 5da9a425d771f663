import { createHash } from 'node:crypto'
import type { Code } from '../inside/load.ts'

export type Kind = 'decide' | 'decideOne' | 'adjust' | 'manage' | 'renew' | 'line' | 'probe'
const mains = ['decideOne', 'decide', 'adjust', 'manage', 'renew', 'line'] as const

export interface KnownScript {
  readonly sha: string
  readonly kind: Kind
}

/** The end of a main script, which is the end of every script that is joined from it. */
const endLength = 60

/** Tells from a script's text what it does. */
export class ScriptReader {
  readonly #code: Code
  readonly #known = new Map<string, KnownScript>()

  constructor(code: Code) {
    this.#code = code
  }

  read(text: string): KnownScript {
    let known = this.#known.get(text)
    if (known === undefined) {
      known = { sha: createHash('sha1').update(text).digest('hex'), kind: this.#kindOf(text) }
      this.#known.set(text, known)
    }
    return known
  }

  #kindOf(text: string): Kind {
    if (text === this.#code.probeScript.text) return 'probe'
    for (const main of mains) {
      const end = this.#code.mainScripts[main]?.slice(-endLength)
      if (end !== undefined && text.endsWith(end)) return main
    }
    throw new Error(`an unknown script: ${text.slice(0, 200)}`)
  }
}
