/** How long something took, without the time by which this process itself was late. */
export async function took<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  let lateMs = 0
  let dueAt = performance.now() + 5
  const ticker = setInterval(() => {
    const now = performance.now()
    lateMs += Math.max(0, now - dueAt)
    dueAt = now + 5
  }, 5)
  const startedAt = performance.now()
  const value = await work()
  const now = performance.now()
  clearInterval(ticker)
  return { value, ms: now - startedAt - lateMs - Math.max(0, now - dueAt) }
}

/** Tries until it holds; rejects after so long. */
export async function eventually(holds: () => Promise<boolean> | boolean, longestMs = 5000): Promise<void> {
  const startedAt = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedAt > longestMs) throw new Error(`not within ${longestMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
