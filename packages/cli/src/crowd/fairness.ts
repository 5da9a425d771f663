/**
 * Jain's index: 1 where all got the same, 1/n where one of n got everything. Null where nobody got anything.
 */
export function fairness(shares: Iterable<number>): number | null {
  let count = 0
  let sum = 0
  let squares = 0
  for (const share of shares) {
    count++
    sum += share
    squares += share * share
  }
  return sum === 0 ? null : (sum * sum) / (count * squares)
}
