import type { Entry, LogEntry } from '../log/entry.ts'
import { type Choice, clientIn } from './choice.ts'
import { type Asked, choose } from './choose.ts'

/** How many lines, or characters of them, are looked at before the first line is returned. */
const mostLines = 10_000
const mostCharacters = 8_000_000

/** An entry with its line and its place in the log. */
export interface Waiting {
  readonly entry: LogEntry
  readonly line: string
  readonly number: number
}

/** The lines of one log: they wait until it is known which field holds the client. */
export class Chooser {
  readonly #asked: Asked
  #waiting: Waiting[] = []
  #characters = 0
  #choices: readonly Choice[] | undefined

  constructor(asked: Asked) {
    this.#asked = asked
  }

  get choices(): readonly Choice[] {
    return this.#choices ?? []
  }

  /** Returns the lines that need not wait any more. */
  add(waiting: Waiting): readonly Waiting[] {
    if (this.#choices !== undefined) return [waiting]
    this.#waiting.push(waiting)
    this.#characters += waiting.line.length
    return this.#waiting.length < mostLines && this.#characters < mostCharacters ? [] : this.rest()
  }

  rest(): readonly Waiting[] {
    this.#choices ??= choose(
      this.#waiting.map(({ entry }) => entry),
      this.#asked,
    )
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  clientOf(entry: Entry): string | undefined {
    for (const choice of this.choices) {
      const client = clientIn(entry, choice, this.#asked.trusts)
      if (client !== undefined) return client
    }
    return undefined
  }
}
