/** A timer that is no later than this says nothing: every turn of the event loop takes some time. */
const usualMs = 10

/** When this process's event loop stood still, so that a reply which it could not read is not taken for a store that says nothing. */
export class Pauses {
  #totalMs = 0
  #endedAt = Number.NEGATIVE_INFINITY

  /** For how long it stood still in all, as far as anybody has looked. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** What was due at `dueAt` is done only now. */
  note(dueAt: number, now: number): void {
    // Several timers meet one pause.
    const lateMs = now - Math.max(dueAt, this.#endedAt)
    if (lateMs <= usualMs) return
    this.#totalMs += lateMs
    this.#endedAt = now
  }
}

/** Of this process: it has one event loop. */
export const pauses: Pauses = new Pauses()
