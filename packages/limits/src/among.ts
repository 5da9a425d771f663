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

/** The places in the list of those that refuse only together; none where one alone has a quota, which refuses as any limit. */
export function quotasAmong(ends: readonly End[]): ReadonlySet<number> {
  const quotas = new Set<number>()
  for (const [i, end] of ends.entries()) if (end?.quota === true) quotas.add(i)
  return quotas.size > 1 ? quotas : none
}

const none: ReadonlySet<number> = new Set()
