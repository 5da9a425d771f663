import type { StoreEvent, StoreListener, Warning } from './store.ts'

export class Listeners {
  readonly #all = new Set<StoreListener>()
  /** Warnings from before the first listener, which gets them when it is added. */
  readonly #untold: Warning[] = []
  /** Of every warning there was, each once. */
  readonly codes: Set<string> = new Set()

  add(listener: StoreListener): () => void {
    this.#all.add(listener)
    for (const warning of this.#untold.splice(0)) listener.warned(warning)
    return () => this.#all.delete(listener)
  }

  event(event: StoreEvent, words: string): void {
    for (const listener of this.#all) listener.event(event, words)
  }

  warned(warning: Warning): void {
    this.codes.add(warning.code)
    if (this.#all.size === 0) this.#untold.push(warning)
    for (const listener of this.#all) listener.warned(warning)
  }

  lost(): void {
    for (const listener of this.#all) listener.lost?.()
  }
}
