import { jest } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  createLimiter,
  type Limiter,
  type Policy,
  type Question,
  type Store,
  type StoreListener,
  type StoreRows,
} from '../../src/index.ts'
import { MemoryStore } from '../../src/memory/store.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

export type One = Limiter<{ readonly default: Policy }>
export type Lined = Limiter<{ readonly default: Policy<'line'> }>
export type Patient = Limiter<{ readonly default: Policy<'reserve'> }>

export const quiet = { warn: () => {}, error: () => {} }

/** A server that several processes share, on a clock that the test moves: it can be away, and it can lose what it had. */
export class Server {
  readonly clock = manualClock()
  away = false
  readonly #connected = new Set<StoreListener>()
  #losses = 0
  #counts: Store = new MemoryStore(1000, this.clock)

  /** Every connection is closed. */
  go(): void {
    this.away = true
    for (const listener of this.#connected) listener.lost?.()
  }

  lose(): void {
    this.#counts = new MemoryStore(1000, this.clock, { text: `${++this.#losses}.` })
  }

  /** The server as one process sees it. */
  store(isDead: () => boolean = () => false): Store {
    const answering = () => {
      if (this.away || isDead()) throw new Error('away')
      return this.#counts
    }
    return {
      name: 'server',
      can: ['reward', 'set', 'line', 'blockFor', 'upTo'],
      clock: this.clock,
      answer: (question: Question): StoreRows | Promise<StoreRows> => answering().answer(question),
      adjust: (changes) => answering().adjust(changes),
      renew: (held) => answering().renew?.(held) ?? [],
      line: (callers) => answering().line?.(callers) ?? [],
      manage: (command) => answering().manage(command),
      watch: (listener) => {
        this.#connected.add(listener)
        return () => this.#connected.delete(listener)
      },
      ready: async () => void answering(),
      close: async () => {},
    }
  }

  /** So many processes with a limiter of this policy each, guarded. */
  processes(count: number, policy: Policy, processes?: number): readonly One[] {
    return Array.from({ length: count }, () => {
      const store = guard(this.store(), readGuardOptions({ processes }), this.clock)
      return createLimiter({ policy, store, logger: quiet })
    })
  }

  /** The same for a policy whose callers stand in line. */
  lined(count: number, policy: Policy<'line'>): readonly Lined[] {
    return this.processes(count, policy) as unknown as readonly Lined[] // of this policy
  }

  /** A process that can die: from then on the server hears nothing of it. */
  mortal(policy: Policy<'line'>): { readonly limiter: Lined; die(): void } {
    let dead = false
    const limiter = createLimiter({ policy, store: this.store(() => dead), logger: quiet })
    const die = () => {
      dead = true
    }
    return { limiter, die }
  }

  /** The same for a policy that can reserve. */
  patient(count: number, policy: Policy<'reserve'>): [Patient, Patient] {
    return this.processes(count, policy) as unknown as [Patient, Patient] // of this policy
  }

  /** The breakers' timers and the counts' clock together. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await jest.advanceTimersByTimeAsync(ms)
  }
}
