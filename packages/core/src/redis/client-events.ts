/** What is asked of a client, of one server or a cluster, before its code is there. */
export interface NodeRedisEvents {
  readonly isOpen: boolean
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

/** What a node-redis client says, from the start: an error that nobody hears would end the process. */
export class ClientEvents {
  heard: ((isAway: boolean) => void) | undefined
  /** Whether the latest attempt to connect has failed, or its connection has ended; undefined: nothing was said. */
  isAway: boolean | undefined
  readonly #client: NodeRedisEvents
  readonly #ready = () => this.#say(false)
  readonly #away = () => this.#say(true)

  constructor(client: NodeRedisEvents) {
    this.#client = client
    client.on('ready', this.#ready)
    client.on('error', this.#away)
    client.on('end', this.#away)
  }

  #say(isAway: boolean): void {
    this.isAway = isAway
    this.heard?.(isAway)
  }

  /** Hears nothing more, and counts as away. */
  stop(): void {
    this.#client.off('ready', this.#ready)
    this.#client.off('error', this.#away)
    this.#client.off('end', this.#away)
    this.#say(true)
  }
}
