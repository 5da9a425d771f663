import { createLimiter, fixedWindow, type Key, type Limiter } from '@sluice/core'

type Blocking = Pick<Limiter, 'block' | 'unblock' | 'peek'>

/** The longest block. */
const longestMs = 366 * 86_400_000

/** Keys that this process refuses without asking the store. */
export class MemoryBlocks {
  #limiter: Blocking = anew()

  async add(key: Key, ms: number): Promise<void> {
    await this.#limiter.block(key, `${Math.max(1, Math.min(Math.ceil(ms), longestMs))}ms`)
  }

  /** 0: it is not blocked. */
  async msLeft(key: Key): Promise<number> {
    return (await this.#limiter.peek(key)).retryAfterMs ?? 0
  }

  async delete(key: Key): Promise<void> {
    await this.#limiter.unblock(key)
  }

  deleteAll(): void {
    this.#limiter = anew()
  }
}

/** Nothing is counted: only its blocks refuse. */
function anew(): Blocking {
  return createLimiter({ policy: fixedWindow({ limit: 1, window: '1s' }) })
}
