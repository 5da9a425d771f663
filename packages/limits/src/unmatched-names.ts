import { didYouMean } from '@sluice/core/internal'
import type { Tree } from './tree.ts'
import { printable, quoted } from './words.ts'

/** Limits on reported names, which clients may choose: their number and their length. */
const maxReported = 20
const maxLength = 60

/** Reports unknown first names of paths: a misspelt one removes all limits without any other sign. */
export class UnmatchedNames {
  report: (message: string) => void = () => {}
  readonly #reported = new Set<string>()

  /** Reports a path that has met nothing, unless its first name is known. */
  met({ root }: Tree, path: readonly string[]): void {
    if (this.#reported.size >= maxReported) return
    const first = path[0] ?? ''
    if (root.children.has(first) || root.any !== undefined) return
    const name = first.slice(0, maxLength + 1)
    if (this.#reported.has(name)) return
    this.#reported.add(name)
    const hint = printable(didYouMean(name, [...root.children.keys()]))
    const last = this.#reported.size === maxReported ? '; further names are not reported' : ''
    this.report(
      `a path has no limit, as no place of the limits has its first name: ${quoted(name)}${hint}${last}`,
    )
  }
}
