import { nearest } from '@sluice/core/internal'
import type { Tree } from './tree.ts'
import { quoted } from './words.ts'

/** A client may choose names: so many are told, and no more of each than fits into a line. */
const mostTold = 20
const longest = 60

/** First names of paths that no place of the tree has: a misspelt one takes away all limits, and nothing else would show it. */
export class UnmatchedNames {
  tell: (message: string) => void = () => {}
  readonly #told = new Set<string>()

  /** A path that has met nothing. Its first name may be known all the same. */
  met({ root }: Tree, path: readonly string[]): void {
    if (this.#told.size >= mostTold) return
    const first = path[0] ?? ''
    if (root.children.has(first) || root.any !== undefined) return
    const name = first.slice(0, longest + 1)
    if (this.#told.has(name)) return
    this.#told.add(name)
    const near = nearest(name, [...root.children.keys()])
    const hint = near === undefined ? '' : ` (did you mean ${quoted(near)}?)`
    const last = this.#told.size === mostTold ? '; further names are not told' : ''
    this.tell(
      `a path has no limit, as no place of the limits has its first name: ${quoted(name)}${hint}${last}`,
    )
  }
}
