import type { Command } from '../server/running.ts'
import type { Ran } from '../server/server.ts'
import type { Sent } from './stream.ts'

/** The client whose call it is. */
interface Asker {
  heard(): void
  drop(): void
}

interface About {
  readonly command: Command
  readonly sentUs: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A call of a client that waits for its reply. */
export class Asked implements Sent {
  readonly command: Command
  readonly sentUs: number
  ran: Ran | undefined = undefined
  ranUs: number | undefined = undefined
  heardUs: number | undefined = undefined
  readonly #asker: Asker
  readonly #resolve: About['resolve']
  readonly #reject: About['reject']

  constructor(asker: Asker, { command, sentUs, resolve, reject }: About) {
    this.#asker = asker
    this.command = command
    this.sentUs = sentUs
    this.#resolve = resolve
    this.#reject = reject
  }

  answer(value: unknown): void {
    this.#asker.heard()
    this.#resolve(value)
  }

  fail(error: Error): void {
    this.#reject(error)
    if (error.message.startsWith('READONLY ')) this.#asker.drop()
  }
}
