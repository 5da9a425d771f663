const listening = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls back once when the signal is aborted; the answer takes it back. One listener a signal, however many wait for it. */
export function whenAborted(signal: AbortSignal, aborted: () => void): () => void {
  let waiting = listening.get(signal)
  if (waiting === undefined) {
    const all = new Set<() => void>()
    waiting = all
    listening.set(signal, all)
    signal.addEventListener(
      'abort',
      () => {
        for (const each of all) each()
        all.clear()
      },
      { once: true },
    )
  }
  waiting.add(aborted)
  return () => waiting.delete(aborted)
}
