import type { Check, Policy, Question } from '@sluice/core'

type FailureChoice = Check['onStoreFailure']
type Charge = Question['charge']

/** One limit of the tree. */
export interface Level {
  /** The pattern of its place, with its policy's name where the place names them: what the wire, metrics and errors say. */
  readonly name: string
  readonly policy: Policy
  /** Its numbers as they are written: `30 per 60s, burst 15`. */
  readonly rule: string
  /** How many names of a path it counts: its key is the path's beginning. */
  readonly depth: number
  readonly shadow: boolean | undefined
  readonly onStoreFailure: FailureChoice | undefined
}

/** What a path has met when it arrives at a place, that place included. */
export interface Way {
  /** The names on the way with slashes between, each percent-encoded; empty at the root. */
  readonly pattern: string
  readonly depth: number
  /** The limits that hold here, those of the first name first: one list for all who come here. */
  readonly met: readonly Level[]
  /** The pattern of the last place that was `unlimited`. */
  readonly lifted: string | undefined
  /** The pattern of the first place that was `deny`: nothing below it is allowed either. */
  readonly denied: string | undefined
  /** false: no place on the way says anything. */
  readonly matched: boolean
}

export interface Branch extends Way {
  readonly children: ReadonlyMap<string, Branch>
  /** The child for every name that has none of its own. */
  readonly any: Branch | undefined
}

export interface Tree {
  readonly root: Branch
  /** All limits, in the order of the file. */
  readonly levels: readonly Level[]
  /** Who is charged when a level refuses, if the file says so. */
  readonly charge: Charge | undefined
}

/** All lists of limits that some path meets. */
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
 * The last place that a path reaches: an exact name wins over `*`, and a path that leaves the tree stays where it left it.
 * undefined where the path has met nothing at all.
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

/** A name as it stands between the slashes of a pattern. */
export function patternName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F')
}

export function joinPattern(pattern: string, name: string): string {
  return pattern === '' ? patternName(name) : `${pattern}/${patternName(name)}`
}
