/**
 * The least whole number from 1 to `most` that passes, where all that is above a passing one passes too; undefined where none does.
 * It asks about twice as often as the answer has binary digits, and small numbers first: those that fail are the quicker ones.
 */
export async function least(
  most: number,
  passes: (number: number) => Promise<boolean>,
): Promise<number | undefined> {
  let failing = 0
  let passing = 1
  while (!(await passes(passing))) {
    if (passing === most) return undefined
    failing = passing
    passing = Math.min(most, passing * 2)
  }
  while (passing - failing > 1) {
    const middle = Math.floor((failing + passing) / 2)
    if (await passes(middle)) passing = middle
    else failing = middle
  }
  return passing
}
