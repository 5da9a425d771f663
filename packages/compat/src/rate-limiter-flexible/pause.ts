/** The longest time of a timer: 24 days. */
const longestMs = 2 ** 31 - 1

/** By the global timer, which tests put a fake in the place of. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(ms, longestMs))
  })
}
