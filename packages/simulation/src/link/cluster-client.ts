import type { Slots } from '../server/slots.ts'
import { Client, type ClientParts } from './client.ts'

/** A client of a cluster. It follows what its servers say of slots that move, so that no code above it hears of that. */
export class ClusterClient extends Client {
  readonly #slots: Slots

  constructor(parts: ClientParts, slots: Slots) {
    super(parts)
    this.#slots = slots
  }

  nodeOf(key: string): string {
    return this.#slots.nodeOf(key)
  }

  nodeNames(): readonly string[] {
    return ['first', 'second']
  }

  override send(command: string, args: readonly (string | number)[], key?: string): Promise<unknown> {
    if (command !== 'TIME') return super.send(command, args)
    return this.time(key === undefined ? 'first' : this.#slots.nodeOf(key))
  }

  async sendToAll(command: string, args: readonly (string | number)[]): Promise<readonly unknown[]> {
    if (command !== 'TIME') return [await super.send(command, args)]
    return Promise.all(this.nodeNames().map((node) => this.time(node)))
  }
}
