/** A limit's part for one of so many processes: rounded down, and at least 1, or a process would refuse everything. */
export function shareOf(limit: number, processes: number): number {
  return Math.max(1, Math.floor(limit / processes))
}
