const names = ['SIGINT', 'SIGTERM'] as const

export interface Interruption {
  readonly signal: AbortSignal
  /** Resolves when it has come. */
  readonly came: Promise<void>
  forget(): void
}

/** The first Ctrl-C or SIGTERM is told here; the next one ends the process as ever. */
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
