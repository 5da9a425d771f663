/** The deadline of the stores that are timed. */
const deadlineMs = 100
/** A process that is later than this stood still, as `docs/reliability.md` says it. */
const usualMs = 10

/**
 * How long something took, without the time by which this process itself was late. While it stood still it heard no reply: one is
 * accepted for as long again, for at most one more deadline, which does not count either.
 */
export async function took<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  let lateMs = 0
  let stoodMs = 0
  let dueAt = performance.now() + 5
  const look = (now: number) => {
    const byMs = Math.max(0, now - dueAt)
    lateMs += byMs
    if (byMs > usualMs) stoodMs += byMs
    dueAt = now + 5
  }
  const ticker = setInterval(() => look(performance.now()), 5)
  const startedAt = performance.now()
  const value = await work()
  const now = performance.now()
  clearInterval(ticker)
  look(now)
  return { value, ms: now - startedAt - lateMs - Math.min(stoodMs, deadlineMs) }
}

/** Tries until it holds; rejects after so long. */
export async function eventually(holds: () => Promise<boolean> | boolean, longestMs = 5000): Promise<void> {
  const startedAt = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedAt > longestMs) throw new Error(`not within ${longestMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
