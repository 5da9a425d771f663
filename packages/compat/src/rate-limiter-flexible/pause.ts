/** The longest time of a timer: 24 days. */
const longestMs = 2 ** 31 - 1

/** Waits by the global timer, which tests may replace with a fake one. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(ms, longestMs))
  })
}
