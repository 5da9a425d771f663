/** What a process keeps as soon as nothing more can be collected; needs --expose-gc. Typed arrays lie outside the heap and count as well. */
export function usedHeapBytes(): number {
  // What is found dead in one round can keep something else alive until the next.
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
