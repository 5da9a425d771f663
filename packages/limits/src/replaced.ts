import type { Branch } from './tree.ts'

type End = Branch | undefined

/** Where the paths of one request end. A place that another of them replaces applies to none of them: nothing is counted there. */
export function withReplaced(ends: readonly End[]): readonly End[] {
  const names = new Set(ends.flatMap((end) => end?.replaces ?? []))
  if (names.size === 0) return ends
  return ends.map((end) => (end?.name !== undefined && names.has(end.name) ? withoutLimits(end) : end))
}

function withoutLimits(end: Branch): Branch {
  return { ...end, met: [], lifted: undefined, denied: undefined }
}
