import type { Clock } from '@sluice/core'
import { LinkedList, runtime, waits } from '@sluice/core/internal'
import type { Answer } from './ending.ts'

/** An answer that a client may be reading. */
export interface Reading {
  readonly answer: Answer
  /** Whether the handler is over, so that only its client is waited for. */
  readonly waitsForClient: boolean
  /** Set when its answer emits `drain`: where no socket shows what was taken, only that does. */
  drained: boolean
  /** Set while it is among those that are looked at. */
  progress: Progress | undefined
  previous: Reading | undefined
  next: Reading | undefined
  /** Called once a second. */
  look(): void
  /** Called when its client has taken nothing for too long. */
  abandon(): void
}

/** How often clients are looked at. */
const lookEveryMs = 1000

/** The answers of a gate whose clients may leave them unread. */
export class SlowReaders {
  readonly #clock: Clock
  readonly #mostUs: number
  /** Not a Map: each table that an old Map has outgrown keeps what it held then, until V8 collects its old objects too. */
  readonly #all = new LinkedList<Reading>()
  #looks = false

  /** `mostUs`: how long a client may take nothing. */
  constructor(clock: Clock, mostUs: number) {
    this.#clock = clock
    this.#mostUs = mostUs
  }

  add(reading: Reading): void {
    // A timer would end with the request that has set it.
    if (runtime.requestsApart) return
    reading.progress = new Progress()
    this.#all.add(reading)
    if (!this.#looks) this.#lookLater()
  }

  delete(reading: Reading): void {
    if (reading.progress === undefined) return
    reading.progress = undefined
    this.#all.remove(reading)
  }

  #lookLater(): void {
    this.#looks = true
    void waits.wakeQuietly(this.#clock, Math.min(lookEveryMs, this.#mostUs / 4000), this.#look)
  }

  readonly #look = (): void => {
    this.#looks = false
    const nowUs = this.#clock.nowUs()
    for (let reading = this.#all.first, next = reading; reading !== undefined; reading = next) {
      next = reading.next
      reading.look()
      if (reading.progress === undefined || reading.progress.idleUs(reading, nowUs) < this.#mostUs) continue
      this.delete(reading)
      reading.abandon()
    }
    if (this.#all.first !== undefined) this.#lookLater()
  }
}

/** How much of an answer its client has taken. */
export class Progress {
  #taken = 0
  /** Since when the client has taken nothing of what waits for it. */
  #sinceUs: number | undefined

  idleUs(reading: Reading, nowUs: number): number {
    const { answer, waitsForClient, drained } = reading
    const taken = takenOf(answer)
    const hasTaken = taken > this.#taken || drained
    this.#taken = taken
    reading.drained = false
    if (!waitsForClient || !answer.writableLength) this.#sinceUs = undefined
    else if (this.#sinceUs === undefined || hasTaken) this.#sinceUs = nowUs
    return nowUs - (this.#sinceUs ?? nowUs)
  }
}

/** How much was taken, up to a constant: it grows when, and only when, the client or the system on its behalf takes some. */
function takenOf(raw: Answer): number {
  if (raw.taken !== undefined) return raw.taken
  if (raw.stream !== undefined) return -(raw.stream.bufferSize ?? 0)
  // A response that waits behind another has no socket yet: nothing of it is taken, whatever its client takes of the other.
  const connection = raw.socket
  if (connection == null) return 0
  // Of one large write only the handle knows how much is left.
  const { bytesWritten, writeQueueSize } = (Reflect.get(connection, '_handle') ?? {}) as Handle // each is looked at
  if (typeof bytesWritten === 'number' && typeof writeQueueSize === 'number')
    return bytesWritten - writeQueueSize
  return (connection.bytesWritten ?? 0) - (connection.writableLength ?? 0)
}

interface Handle {
  readonly bytesWritten?: unknown
  readonly writeQueueSize?: unknown
}
