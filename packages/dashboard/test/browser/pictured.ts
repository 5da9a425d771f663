import {
  attributedWindow,
  createLimiter,
  type Decision,
  fixedWindow,
  gcra,
  type Health,
  type Limiter,
  leakyBucket,
  memoryStore,
  multiWindow,
  type Observer,
  type Policies,
  type Policy,
  type Store,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core'
import type { Recorder } from '@sluice/telemetry'
import { manualClock } from '@sluice/testing'
import { Recorded, zero } from '../recorded.ts'
import { seconds, seeded, visitorOf, visitsIn } from './traffic.ts'

const everybody = (policy: Policy): Policies => ({ everybody: policy })
const rate = { count: 10, period: '1s' } as const
const window = '10s'

/** The attractions of a zoo. */
const attractions: Readonly<Record<string, Policies>> = {
  tiger: { everybody: slidingWindowLog({ limit: 100, window }), visitor: fixedWindow({ limit: 5, window }) },
  penguin: everybody(fixedWindow({ limit: 100, window })),
  owl: everybody(slidingWindowCounter({ limit: 100, window })),
  giraffe: everybody(gcra({ ...rate, burst: 20 })),
  seal: everybody(tokenBucket({ ...rate, capacity: 50 })),
  otter: everybody(leakyBucket({ ...rate, capacity: 30 })),
  elephant: everybody(
    multiWindow({
      limits: [
        { limit: 20, window: '1s' },
        { limit: 100, window },
        { limit: 140, window: '15s' },
      ],
    }),
  ),
  lemur: everybody(attributedWindow({ limit: 30, window })),
}

type Clock = ReturnType<typeof manualClock>

/** Counts in memory, and calls itself Redis. */
function storeAs(clock: Clock, health: () => Health): Store {
  const memory = memoryStore({ clock })
  return {
    name: 'redis',
    clock,
    answer: (question) => memory.answer(question),
    adjust: (changes) => memory.adjust(changes),
    manage: (command) => memory.manage(command),
    health,
    close: () => memory.close(),
  }
}

/** What minutes at a zoo of two processes leave behind, on a clock that stands still at their end. */
export class Zoo {
  readonly #clock = manualClock()
  readonly #recorded = new Recorded()
  readonly #watchers = new Set<Observer>()
  readonly #random = seeded(5)
  /** Those that all processes share, and each one's own for while the store is away. */
  readonly #shared = this.#open(storeAs(this.#clock, () => this.#health()))
  readonly #own = [
    this.#open(memoryStore({ clock: this.#clock })),
    this.#open(memoryStore({ clock: this.#clock })),
  ]
  readonly #away: readonly [from: number, to: number]

  /** `away`: seconds before the end at which the store goes and comes back. */
  constructor([from, to]: readonly [from: number, to: number]) {
    this.#away = [seconds - from, seconds - to]
  }

  get limiters(): readonly Limiter<Policies>[] {
    return this.#shared
  }

  /** It watches nothing by itself: what was decided is counted here, at the time that it was decided. */
  get recorder(): Recorder {
    const recorded = this.#recorded
    return {
      query: recorded.query,
      nowMs: recorded.nowMs,
      watch: (observer) => {
        this.#watchers.add(observer)
        return () => this.#watchers.delete(observer)
      },
      flush: async () => {},
      close: async () => {},
      addEvent: () => {},
      events: async () => [],
      lostUnits: 0,
    }
  }

  async live(): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      const [from, to] = this.#away
      this.#recorded.clock = second
      if (second === from)
        this.#notify((watcher) =>
          watcher.storeFailed?.({ store: 'redis', kind: 'opened', sinceMs: 0, error: refused }),
        )
      if (second === to)
        this.#notify((watcher) => watcher.storeRecovered?.({ store: 'redis', kind: 'recovered', sinceMs: 0 }))
      await this.#liveSecond(second)
    }
    this.#recorded.clock = seconds
  }

  async #liveSecond(second: number): Promise<void> {
    const visits = Object.keys(attractions).flatMap((_, place) =>
      Array.from({ length: visitsIn(second, this.#random) }, () => ({ place, at: this.#random() })),
    )
    visits.sort((a, b) => a.at - b.at)
    for (const { place, at } of visits) {
      const nowUs = (zero + second + at) * 1e6
      await this.#clock.advance(Math.max(0, Math.floor((nowUs - this.#clock.nowUs()) / 1000)))
      this.#recorded.clock = second + at
      await this.#visit(place, second)
    }
  }

  async #visit(place: number, second: number): Promise<void> {
    const [from, to] = this.#away
    const away = second >= from && second < to
    const [shared, own] = [this.#shared[place], this.#own[Math.floor(this.#random() * 2)]?.[place]]
    const visitor = visitorOf(this.#random)
    const all = shared?.name ?? ''
    const subject = all === 'tiger' ? { everybody: all, visitor } : { everybody: all }
    // What a process has admitted by itself also counts against its own limit, until a window has passed.
    const mine = await own?.check(subject)
    const decision =
      away || (second < to + 10 && second >= to && mine?.allowed === false)
        ? mine
        : await shared?.check(subject)
    if (decision === undefined) return
    this.#count(decision, second, away)
    const reported: Decision = away ? { ...decision, source: 'fallback' } : decision
    this.#notify((watcher) => watcher.decided?.(reported, { operation: 'check', durationMs: 0 }))
  }

  #count({ limiter, allowed, verdicts }: Decision, second: number, away: boolean): void {
    const at = { second, units: 1 }
    this.#recorded.count(allowed ? 'admitted' : 'refused', [limiter], at)
    if (away) this.#recorded.count('local', [limiter], at)
    for (const verdict of Object.values(verdicts)) {
      if (allowed) this.#recorded.count('hits', [limiter, verdict?.policy ?? ''], at)
      else if (verdict?.allowed === false) this.#recorded.count('denied', [limiter, verdict.policy], at)
    }
  }

  #health(): Health {
    const [from, to] = this.#away
    const away = to >= seconds
    return {
      status: away ? 'down' : 'ok',
      store: 'redis',
      sinceMs: (seconds - (away ? from : to)) * 1000,
      failures: 11,
      fallbackDecisions: 3930,
      lateReplies: 1,
      keys: 0,
      warnings: [],
    }
  }

  #notify(say: (watcher: Observer) => void): void {
    for (const watcher of this.#watchers) say(watcher)
  }

  #open(store: Store): readonly Limiter<Policies>[] {
    return Object.entries(attractions).map(([name, policies]) => createLimiter({ name, policies, store }))
  }
}

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
