import { numberOf, type Words } from './calls.ts'
import { type Now, returnUs, unmeasured } from './queue.ts'
import type { Kind } from './scripts.ts'

export type ListQueueKind = Extract<Kind, `list: ${string}`>

/** What one list queue has stored: entries as "MS.TICKET.JOB". It measures nothing. */
export class ListQueueData {
  /** The oldest first. */
  readonly #entries: string[] = []
  #number = 0

  run(kind: ListQueueKind, words: Words, { nowUs, mustWrite }: Now): unknown {
    const { keys, args } = words
    switch (kind) {
      case 'list: offer':
        return this.#offer(args, { nowUs, mustWrite })
      case 'list: pop': {
        const [notAfterUs, room] = args
        if (nowUs > numberOf(notAfterUs)) return [nowUs]
        mustWrite(false)
        return [nowUs, this.#entries.splice(0, numberOf(room))]
      }
      case 'list: read':
        mustWrite(false)
        return this.#entries.length === 0 ? null : [keys[0], this.#entries.shift()]
      case 'list: return':
        mustWrite(true)
        for (const entry of args) this.#entries.unshift(entry)
        return this.#entries.length
      case 'list: status': {
        const position = numberOf(args[0]) - (this.#number - this.#entries.length)
        return [nowUs, position, this.#entries.length, ...unmeasured]
      }
      case 'list: health': {
        const oldestMs = Number.parseInt(this.#entries[0] ?? '0', 10)
        return [nowUs, this.#entries.length, this.#number - this.#entries.length, oldestMs]
      }
    }
  }

  /** See listOffer.lua. */
  #offer([notAfterUs, limit, mark, job, measured]: Words['args'], { nowUs, mustWrite }: Now): unknown {
    if (notAfterUs !== '0' && nowUs > numberOf(notAfterUs)) return [nowUs]
    if (this.#entries.length >= numberOf(limit)) return [nowUs, 0, returnUs]
    mustWrite(true)
    const number = ++this.#number
    const position = this.#entries.push(`${Math.floor(nowUs / 1000)}.${mark}${number}.${job}`)
    return [nowUs, 1, position, ...(measured === '1' ? unmeasured : []), number]
  }
}
