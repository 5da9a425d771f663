import type { Decision, Observer } from '@sluice/core'

type About<Method extends keyof Observer> = Parameters<NonNullable<Observer[Method]>>

/** Those to whom a recorder forwards what it observes. None of them can harm another, or the request. */
export class Watchers implements Observer {
  #all: readonly { readonly observer: Observer }[] = []

  /** Until the answer is called. An observer that watches twice is told twice. */
  add(observer: Observer): () => void {
    const watcher = { observer }
    this.#all = [...this.#all, watcher]
    return () => {
      this.#all = this.#all.filter((each) => each !== watcher)
    }
  }

  decided(decision: Decision, about: About<'decided'>[1]): void {
    for (const { observer } of this.#all) {
      try {
        observer.decided?.(decision, about)
      } catch {
        // Nobody is left to tell.
      }
    }
  }

  adjusted(...about: About<'adjusted'>): void {
    this.#tell((observer) => observer.adjusted?.(...about))
  }

  lost(...about: About<'lost'>): void {
    this.#tell((observer) => observer.lost?.(...about))
  }

  storeFailed(...event: About<'storeFailed'>): void {
    this.#tell((observer) => observer.storeFailed?.(...event))
  }

  storeRecovered(...event: About<'storeRecovered'>): void {
    this.#tell((observer) => observer.storeRecovered?.(...event))
  }

  warned(...warning: About<'warned'>): void {
    this.#tell((observer) => observer.warned?.(...warning))
  }

  #tell(call: (observer: Observer) => void): void {
    for (const { observer } of this.#all) {
      try {
        call(observer)
      } catch {
        // Nobody is left to tell.
      }
    }
  }
}
