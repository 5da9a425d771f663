import { UsageError } from '../../exit-code.ts'
import type { Request, Requests } from '../request.ts'

/** The most requests kept in memory for repeated replays, 24 bytes each. */
const maxKept = 5_000_000

/** Traffic in columns: times, costs, and numbers for names. Clients are numbered from 0. */
export class Kept {
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []
  #atUs = new Float64Array(1024)
  #costs = new Float64Array(1024)
  #clients = new Int32Array(1024)
  #keys = new Int32Array(1024)
  #size = 0
  #clientsOwnKeys = true

  get size(): number {
    return this.#size
  }

  /** The number of names, of clients and keys together; a number below it may belong to a key only. */
  get names(): number {
    return this.#names.length
  }

  /** Whether each client has its own key, so that none is refused because of another. */
  get clientsOwnKeys(): boolean {
    return this.#clientsOwnKeys
  }

  add({ atUs, client, key, cost }: Request): void {
    if (this.#size === this.#atUs.length) this.#grow()
    const at = this.#size++
    this.#atUs[at] = atUs
    this.#costs[at] = cost
    this.#clients[at] = this.#numberOf(client)
    this.#keys[at] = key === client ? (this.#clients[at] ?? 0) : this.#numberOf(key)
    if (key !== client) this.#clientsOwnKeys = false
  }

  clientAt(at: number): number {
    return this.#clients[at] ?? 0
  }

  atUs(at: number): number {
    return this.#atUs[at] ?? 0
  }

  request(at: number): Request {
    return {
      atUs: this.atUs(at),
      client: this.#names[this.clientAt(at)] ?? '',
      key: this.#names[this.#keys[at] ?? 0] ?? '',
      cost: this.#costs[at] ?? 1,
      path: [],
    }
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  #grow(): void {
    const length = this.#atUs.length * 2
    this.#atUs = filled(new Float64Array(length), this.#atUs)
    this.#costs = filled(new Float64Array(length), this.#costs)
    this.#clients = filled(new Int32Array(length), this.#clients)
    this.#keys = filled(new Int32Array(length), this.#keys)
  }
}

function filled<T extends Float64Array | Int32Array>(larger: T, from: T): T {
  larger.set(from)
  return larger
}

/** Reads all requests once; throws a UsageError if there are too many to keep. */
export async function keep(requests: Requests, most: number = maxKept): Promise<Kept> {
  const kept = new Kept()
  for await (const batch of requests) {
    for (const request of batch) kept.add(request)
    if (kept.size > most)
      throw new UsageError(`--suggest keeps all requests in memory, at most ${most}: use a part of the log`)
  }
  return kept
}

const batchSize = 1000

/** The kept requests, in order. */
export async function* keptRequests(kept: Kept): AsyncGenerator<readonly Request[]> {
  for (let from = 0; from < kept.size; from += batchSize) {
    const size = Math.min(batchSize, kept.size - from)
    yield Array.from({ length: size }, (_, i) => kept.request(from + i))
  }
}
