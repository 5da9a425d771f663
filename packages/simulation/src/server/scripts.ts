import { createHash } from 'node:crypto'

const kinds = [
  'decideOne',
  'decide',
  'adjust',
  'manage',
  'renew',
  'line',
  'enlist',
  'entries',
  'publish',
  'act',
  'queue: offer',
  'queue: take',
  'queue: renew',
  'queue: start',
  'queue: finish',
  'queue: leave',
  'queue: tidy',
  'queue: status',
  'queue: health',
  'list: offer',
  'list: pop',
  'list: return',
  'list: status',
  'list: health',
] as const
/** The kinds of calls. `queue: read` and `list: read`: reads by a member of a queue, which are commands and no scripts. */
export type Kind = (typeof kinds)[number] | 'probe' | 'queue: read' | 'list: read'

export interface KnownScript {
  readonly sha: string
  readonly kind: Kind
  /** The arguments behind the first that are constants of the script's text; most scripts have none. */
  readonly constants: readonly string[]
}

/** Blocking reads of queues, which are commands and no scripts; the last argument says for how many milliseconds they wait. */
export const queueRead: KnownScript = { sha: 'XREADGROUP', kind: 'queue: read', constants: [] }
export const listRead: KnownScript = { sha: 'BRPOP', kind: 'list: read', constants: [] }

/** Tells from a script's text what it does: its last line says so, see inside/short-scripts.ts. */
export class ScriptReader {
  readonly #known = new Map<string, KnownScript>()

  read(text: string): KnownScript {
    let known = this.#known.get(text)
    if (known === undefined) {
      known = {
        sha: createHash('sha1').update(text).digest('hex'),
        kind: kindOf(text),
        constants: constantsOf(text),
      }
      this.#known.set(text, known)
    }
    return known
  }
}

/** See joinConstant in core. */
function constantsOf(text: string): readonly string[] {
  const [, listed = ''] = /^local ARGV = \{ ARGV\[1\], (.*) \}$/m.exec(text) ?? []
  return [...listed.matchAll(/'([^']*)'/g)].map(([, each = '']) => each)
}

function kindOf(text: string): Kind {
  // The probe is the only script that is not joined.
  if (text.includes("'PSETEX'")) return 'probe'
  const kind = kinds.find((each) => text.endsWith(`\n-- ${each}`))
  if (kind === undefined) throw new Error(`an unknown script: ${text.slice(0, 200)}`)
  return kind
}
