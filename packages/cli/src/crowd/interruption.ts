const names = ['SIGINT', 'SIGTERM'] as const

export interface Interruption {
  readonly signal: AbortSignal
  /** Resolves on the interruption. */
  readonly came: Promise<void>
  forget(): void
}

/** Catches the first Ctrl-C or SIGTERM; the next one ends the process as usual. */
export function interruption(): Interruption {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort()
  for (const name of names) process.once(name, abort)
  return {
    signal,
    came: new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    forget() {
      for (const name of names) process.off(name, abort)
    },
  }
}
