import type { Check, Policy, Question } from '@sluice/core'
import type { Pattern } from './pattern.ts'

type FailureChoice = Check['onStoreFailure']
type Charge = Question['charge']

/** By index in a path: the pattern that stands for all names that share a count there; undefined: each name has its own. */
export type SharedNames = readonly (string | undefined)[]

/** One limit of the tree. */
export interface Level {
  /** The pattern of its place, with the policy's name if policies are named there: used in response fields, metrics and errors. */
  readonly name: string
  readonly policy: Policy
  /** Its numbers in words: `30 per 60s, burst 15`. */
  readonly rule: string
  /** How many names of a path its key has. */
  readonly depth: number
  /** The patterns that stand in its key for names that share a count; undefined: its key has the path's own names only. */
  readonly shared: SharedNames | undefined
  readonly shadow: boolean | undefined
  readonly onStoreFailure: FailureChoice | undefined
}

/** The limits that a path has met, up to and including a place. */
export interface Way {
  /** The names of the path, percent-encoded and joined by slashes; empty at the root. */
  readonly pattern: string
  readonly depth: number
  /** Empty where no names share a count. */
  readonly shared: SharedNames
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
  /** The children for names without an entry of their own: the first whose pattern matches takes a name. */
  readonly patterns: readonly PatternBranch[]
  /** The child for every other name. */
  readonly any: Branch | undefined
  /** The name by which other places replace this one. */
  readonly name: string | undefined
  /** Names of places that do not apply to a request that also comes here. */
  readonly replaces: readonly string[]
  /** Whether it refuses a request only together with all other places with a quota where the request's paths end. */
  readonly quota: boolean
}

interface PatternBranch {
  readonly pattern: Pattern
  readonly branch: Branch
}

export interface Tree {
  readonly root: Branch
  /** All limits, in the order of the file. */
  readonly levels: readonly Level[]
  /** The charge mode, if the file sets it. */
  readonly charge: Charge | undefined
  /** Which limits a path meets: all along it, or only those of the place where it ends. */
  readonly match: Match
}

export type Match = 'along' | 'end'

/** All lists of limits that a path can meet. */
export function metIn({ root }: Tree): ReadonlySet<readonly Level[]> {
  const lists = new Set<readonly Level[]>()
  const branches = [root]
  for (const { met, children, patterns, any } of branches) {
    if (met.length > 0) lists.add(met)
    for (const child of children.values()) branches.push(child)
    for (const { branch } of patterns) branches.push(branch)
    if (any !== undefined) branches.push(any)
  }
  return lists
}

/**
 * Finds the place in a tree of limits to which a path leads. At each step an exact name comes before a pattern, and that before `*`. Of a
 * path that goes on where the tree ends it is the last place on the way; none where the file says `match: end`. undefined: there is none.
 */
export function walk({ root, match }: Tree, path: readonly string[]): Branch | undefined {
  let branch = root
  for (let i = 0; i < path.length; i++) {
    const next = childOf(branch, path[i] ?? '')
    if (next === undefined) {
      if (match === 'end') return undefined
      break
    }
    branch = next
  }
  return branch.matched ? branch : undefined
}

function childOf({ children, patterns, any }: Branch, name: string): Branch | undefined {
  const own = children.get(name)
  if (own !== undefined) return own
  for (const { pattern, branch } of patterns) if (pattern.matches(name)) return branch
  return any
}

/** The path down to the limit's own place. */
export function keyOf({ depth, shared }: Level, path: readonly string[]): readonly string[] {
  if (shared === undefined) return depth === path.length ? path : path.slice(0, depth)
  const key: string[] = []
  for (let i = 0; i < depth; i++) key.push(shared[i] ?? path[i] ?? '')
  return key
}

/** A name, encoded for a pattern. */
export function patternName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F')
}

export function joinPattern(pattern: string, name: string): string {
  return pattern === '' ? patternName(name) : `${pattern}/${patternName(name)}`
}
