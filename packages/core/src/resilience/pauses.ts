/** A timer that is no later than this says nothing: every turn of the event loop takes some time. */
const usualMs = 10
/** So long after a pause what was asked before it may still be waited for. */
const longestTraceMs = 300

/** When this process's event loop stood still, so that a reply which it could not read is not taken for a store that says nothing. */
export class Pauses {
  #totalMs = 0
  #endedAt = Number.NEGATIVE_INFINITY

  /** For how long it stood still in all, as far as anybody has looked. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** What was due at `dueAt` is done only now: true where that is late. */
  note(dueAt: number, now: number): boolean {
    // Several timers meet one pause.
    const lateMs = now - Math.max(dueAt, this.#endedAt)
    if (lateMs <= usualMs) return false
    this.#totalMs += lateMs
    this.#endedAt = now
    return true
  }

  /** Whether somebody may still wait for what is past its deadline. */
  justEnded(now: number): boolean {
    return now - this.#endedAt <= longestTraceMs
  }
}

/** Of this process: it has one event loop. */
export const pauses: Pauses = new Pauses()
