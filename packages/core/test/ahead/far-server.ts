import { jest } from '@jest/globals'
import {
  type Clock,
  createLimiter,
  type Duration,
  type FailureChoice,
  type Limiter,
  type Policies,
  type Question,
  type Store,
  type StoreListener,
  type StoreRows,
} from '../../src/index.ts'
import { MemoryStore } from '../../src/memory/store.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'

/** What a question meets: 'hangs' takes nothing and never answers, 'loses replies' takes and never answers. */
export type Manner = 'answers' | 'refuses' | 'hangs' | 'loses replies'

const quiet = { warn: () => {}, error: () => {} }

/** A server whose answers take their time, by the fake timers of the test; it can fail, and it can lose what it had. */
export class FarServer {
  readonly clock: Clock = { nowUs: () => 1e15 + Math.floor(performance.now() * 1000) }
  manner: Manner = 'answers'
  roundTripMs = 2
  /** How many units each question has asked for. */
  readonly asked: number[] = []
  readonly #connections = new Set<StoreListener>()
  #losses = 0
  #counts: Store = new MemoryStore(1000, this.clock)

  /** Every connection has ended. */
  cut(): void {
    for (const listener of this.#connections) listener.lost?.()
  }

  /** What it had, without a sign. */
  lose(): void {
    this.#counts = new MemoryStore(1000, this.clock, { text: `${++this.#losses}.` })
  }

  async #reached<T>(work: () => T | Promise<T>): Promise<T> {
    this.#mustNotRefuse()
    await passing(this.roundTripMs / 2)
    if (this.manner === 'hangs') await never()
    const answer = work()
    await passing(this.roundTripMs / 2)
    this.#mustNotRefuse()
    if (this.manner !== 'answers') await never()
    return answer
  }

  /** Now, whatever it was before. */
  #mustNotRefuse(): void {
    if (this.manner === 'refuses') throw new Error('away')
  }

  /** A connection of one process. */
  #connected(): Store {
    return {
      name: 'far',
      can: ['reward', 'set'],
      clock: this.clock,
      answer: async (question: Question): Promise<StoreRows> => {
        this.asked.push(question.checks.reduce((sum, { cost }) => sum + cost, 0))
        return this.#reached(() => this.#counts.answer(question))
      },
      adjust: (changes) => this.#reached(() => this.#counts.adjust(changes)),
      manage: (command) => this.#reached(() => this.#counts.manage(command)),
      watch: (listener) => {
        this.#connections.add(listener)
        return () => this.#connections.delete(listener)
      },
      ready: () => this.#reached(() => {}),
      close: async () => {},
    }
  }

  /** What one process asks. */
  store(processes = 1): Store {
    return guard(this.#connected(), readGuardOptions({ processes }), this.clock)
  }

  /** A process with a limiter that takes units ahead. */
  process<P extends Policies>(
    policies: P,
    {
      ahead,
      onStoreFailure,
      processes = 1,
    }: {
      ahead: Duration
      onStoreFailure: FailureChoice | { readonly [policy: string]: FailureChoice }
      processes?: number
    },
  ): Limiter<P> {
    const store = this.store(processes)
    const any: Policies = policies
    const limiter = createLimiter({ store, policies: any, ahead, onStoreFailure, logger: quiet })
    return limiter as unknown as Limiter<P> // of those policies
  }
}

function passing(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function never(): Promise<void> {
  return new Promise(() => {})
}

/** Lets so much time pass, in small steps: what follows from an answer follows at its time. */
export async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5) await jest.advanceTimersByTimeAsync(Math.min(5, left))
}
