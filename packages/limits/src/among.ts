import type { Branch } from './tree.ts'

type End = Branch | undefined

/** The places where the paths of one request end. One that another of them replaces loses its limits: nothing is counted there. */
export function withReplaced(ends: readonly End[]): readonly End[] {
  const names = new Set(ends.flatMap((end) => end?.replaces ?? []))
  if (names.size === 0) return ends
  return ends.map((end) => (end?.name !== undefined && names.has(end.name) ? withoutLimits(end) : end))
}

function withoutLimits(end: Branch): Branch {
  return { ...end, met: [], lifted: undefined, denied: undefined }
}

/** The indexes of ends with a quota, which refuse only together; none if a single one has a quota: it refuses as any limit. */
export function quotasAmong(ends: readonly End[]): ReadonlySet<number> {
  const quotas = new Set<number>()
  for (const [i, end] of ends.entries()) if (end?.quota === true) quotas.add(i)
  return quotas.size > 1 ? quotas : none
}

const none: ReadonlySet<number> = new Set()
