/**
 * Jain's index: 1 if all got the same, 1/n if one of n got everything; null if none got anything.
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
