import type { Decision, Observer } from '@sluice/core'
import { observing } from '@sluice/core/internal'

type ArgumentsOf<Method extends keyof Observer> = Parameters<NonNullable<Observer[Method]>>

/** The observers to which a recorder forwards. An error in one affects neither the others nor the request. */
export class Watchers implements Observer {
  #all: readonly { readonly observer: Observer }[] = []

  /** Returns a function that removes the observer. An observer that was added twice is called twice. */
  add(observer: Observer): () => void {
    const watcher = { observer }
    this.#all = [...this.#all, watcher]
    return () => {
      this.#all = this.#all.filter((each) => each !== watcher)
    }
  }

  decided(decision: Decision, about: ArgumentsOf<'decided'>[1]): void {
    for (const { observer } of this.#all) {
      try {
        observing.Reports.ignore(observer.decided?.(decision, about))
      } catch {
        // Errors of observers are ignored.
      }
    }
  }

  adjusted(...about: ArgumentsOf<'adjusted'>): void {
    this.#callEach((observer) => observer.adjusted?.(...about))
  }

  lost(...about: ArgumentsOf<'lost'>): void {
    this.#callEach((observer) => observer.lost?.(...about))
  }

  acted(...act: ArgumentsOf<'acted'>): void {
    this.#callEach((observer) => observer.acted?.(...act))
  }

  storeFailed(...event: ArgumentsOf<'storeFailed'>): void {
    this.#callEach((observer) => observer.storeFailed?.(...event))
  }

  storeRecovered(...event: ArgumentsOf<'storeRecovered'>): void {
    this.#callEach((observer) => observer.storeRecovered?.(...event))
  }

  warned(...warning: ArgumentsOf<'warned'>): void {
    this.#callEach((observer) => observer.warned?.(...warning))
  }

  #callEach(call: (observer: Observer) => unknown): void {
    for (const { observer } of this.#all) {
      try {
        observing.Reports.ignore(call(observer))
      } catch {
        // Errors of observers are ignored.
      }
    }
  }
}
