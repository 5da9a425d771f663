/** How many of these instants lie in the span that ends at each step, `stepMs` apart. The instants rise. */
export function inSpanAt(
  instantsMs: readonly number[],
  { spanMs, stepMs, steps }: { spanMs: number; stepMs: number; steps: number },
): readonly number[] {
  let newest = 0
  let oldest = 0
  return Array.from({ length: steps }, (_, step) => {
    const endMs = (step + 1) * stepMs
    while ((instantsMs[newest] ?? Number.POSITIVE_INFINITY) <= endMs) newest++
    while ((instantsMs[oldest] ?? Number.POSITIVE_INFINITY) <= endMs - spanMs) oldest++
    return newest - oldest
  })
}
