/** One process's share of a limit: rounded down, but at least 1 unless the limit is 0, as a process would otherwise refuse everything. */
export function shareOf(limit: number, processes: number): number {
  return Math.min(limit, Math.max(1, Math.floor(limit / processes)))
}
