/**
 * The smallest whole number from 1 to `most` that passes, if every number above a passing one passes too; undefined if none does.
 * Takes about two calls per binary digit of the result, and tries small numbers first, because failing ones take less time.
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
