/** What is used of a client, of one server or a cluster, before the code for its kind is loaded. */
export interface NodeRedisEvents {
  readonly isOpen: boolean
  on(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

/** Listens to a node-redis client from the start: an error event without a listener would end the process. */
export class ClientEvents {
  heard: ((isAway: boolean) => void) | undefined
  /** Whether the latest attempt to connect has failed, or the connection has ended; undefined: the client has not said. */
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

  /** Stops listening. The client counts as away. */
  stop(): void {
    this.#client.off('ready', this.#ready)
    this.#client.off('error', this.#away)
    this.#client.off('end', this.#away)
    this.#say(true)
  }
}
