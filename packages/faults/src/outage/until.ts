/** Tries until a condition holds, however it fails meanwhile; rejects after `longestMs`. */
export async function until(
  holds: () => Promise<boolean>,
  { what, longestMs = 30_000 }: { readonly what: string; readonly longestMs?: number },
): Promise<void> {
  const startedAt = performance.now()
  while (!(await holds().catch(() => false))) {
    if (performance.now() - startedAt > longestMs) throw new Error(`${what}: in vain for ${longestMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
