import { type Branch, keyOf, type Level, patternName, type Tree, walk } from './tree.ts'

/** One thing that applies to a path. */
export interface Explained {
  /** The pattern of its place, with the policy's name if policies are named there. */
  readonly level: string
  /** The policy's strategy, or `unlimited` or `deny`. */
  readonly policy: string
  /** Its numbers in words, `30 per 60s, burst 15`; empty for `unlimited` and `deny`. */
  readonly rule: string
  /** Whether it decides but never refuses. */
  readonly shadow: boolean
  /** One line to read: `gcra: 30 per 60s, burst 15; key user/alex`. */
  readonly text: string
}

/** What applies to a path, in order. Empty if nothing does: such a path is allowed. */
export function explain(tree: Tree, path: readonly string[]): readonly Explained[] {
  const branch = walk(tree, path)
  if (branch === undefined) return []
  if (branch.denied !== undefined) return [denial(branch.denied)]
  return [...lifting(branch), ...branch.met.map((level) => explained(level, path))]
}

function denial(level: string): Explained {
  return { level, policy: 'deny', rule: '', shadow: false, text: 'deny: refused, whatever the limits' }
}

function lifting({ lifted }: Branch): readonly Explained[] {
  if (lifted === undefined) return []
  const text = 'unlimited: the limits met before it do not apply'
  return [{ level: lifted, policy: 'unlimited', rule: '', shadow: false, text }]
}

function explained(level: Level, path: readonly string[]): Explained {
  const { name, policy, rule, shadow, onStoreFailure } = level
  const key = keyOf(level, path).map(patternName).join('/')
  const parts = [
    `${policy.strategy}: ${rule}`,
    `key ${key}`,
    ...(shadow ? ['shadow: never refuses'] : []),
    ...(onStoreFailure === undefined ? [] : [`on store failure ${onStoreFailure}`]),
  ]
  return { level: name, policy: policy.strategy, rule, shadow: shadow === true, text: parts.join('; ') }
}
