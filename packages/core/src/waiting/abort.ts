/** A listener to a signal's abort. */
export interface Abortable {
  aborted(reason: unknown): void
}

const listening = new WeakMap<AbortSignal, Set<Abortable>>()

/** Gives a signal one listener, however many callers wait for it: more than ten listeners would print a warning. */
export function hear(signal: AbortSignal, listener: Abortable): void {
  const known = listening.get(signal)
  if (known !== undefined) {
    known.add(listener)
    return
  }
  const all = new Set([listener])
  listening.set(signal, all)
  const abortAll = () => {
    for (const each of [...all]) each.aborted(signal.reason)
  }
  signal.addEventListener('abort', abortAll, { once: true })
}

export function ignore(signal: AbortSignal, listener: Abortable): void {
  listening.get(signal)?.delete(listener)
}
