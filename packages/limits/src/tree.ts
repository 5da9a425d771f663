import type { Check, Policy, Question } from '@sluice/core'

type FailureChoice = Check['onStoreFailure']
type Charge = Question['charge']

/** One limit of the tree. */
export interface Level {
  /** The pattern of its place, with the policy's name if policies are named there: used in response fields, metrics and errors. */
  readonly name: string
  readonly policy: Policy
  /** Its numbers in words: `30 per 60s, burst 15`. */
  readonly rule: string
  /** How many names of a path are its key. */
  readonly depth: number
  readonly shadow: boolean | undefined
  readonly onStoreFailure: FailureChoice | undefined
}

/** What a path has met up to and including a place. */
export interface Way {
  /** The names of the path, percent-encoded and joined by slashes; empty at the root. */
  readonly pattern: string
  readonly depth: number
  /** The limits that apply here, in the order of the path: one list shared by all paths that end here. */
  readonly met: readonly Level[]
  /** The pattern of the last `unlimited` place. */
  readonly lifted: string | undefined
  /** The pattern of the first `deny` place, which also refuses everything below it. */
  readonly denied: string | undefined
  /** false if no place on the path has limits, `unlimited` or `deny`. */
  readonly matched: boolean
}

export interface Branch extends Way {
  readonly children: ReadonlyMap<string, Branch>
  /** The child for every name without its own entry. */
  readonly any: Branch | undefined
}

export interface Tree {
  readonly root: Branch
  /** All limits, in the order of the file. */
  readonly levels: readonly Level[]
  /** The charge mode, if the file sets it. */
  readonly charge: Charge | undefined
}

/** All lists of limits that a path can meet. */
export function metIn({ root }: Tree): ReadonlySet<readonly Level[]> {
  const lists = new Set<readonly Level[]>()
  const branches = [root]
  for (const { met, children, any } of branches) {
    if (met.length > 0) lists.add(met)
    for (const child of children.values()) branches.push(child)
    if (any !== undefined) branches.push(any)
  }
  return lists
}

/**
 * The last place that a path reaches: an exact name takes precedence over `*`, and a path that leaves the tree ends there.
 * undefined if the path has met nothing at all.
 */
export function walk(tree: Tree, path: readonly string[]): Branch | undefined {
  let branch = tree.root
  for (let i = 0; i < path.length; i++) {
    const next = branch.children.get(path[i] ?? '') ?? branch.any
    if (next === undefined) break
    branch = next
  }
  return branch.matched ? branch : undefined
}

/** A name, encoded for a pattern. */
export function patternName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F')
}

export function joinPattern(pattern: string, name: string): string {
  return pattern === '' ? patternName(name) : `${pattern}/${patternName(name)}`
}
