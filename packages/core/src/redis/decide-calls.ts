import type { Check, Question, StoreRows } from '../store.ts'
import { readAdmitted } from './admitted.ts'
import type { PendingQuestion } from './batch-call.ts'
import { integerOf, listOf, PackedRows, readOne } from './reply.ts'
import type { Argument, Script } from './script.ts'
import type { ScriptCall } from './wire.ts'

/** What became of a question: its rows; taken nothing, as it came too late; or the failure that it alone has met. */
export type Outcome = StoreRows | 'late' | Error

/** What a reply says: when it was made, by the server's clock, and what became of each question. */
interface Said {
  readonly serverUs: number
  readonly outcomes: readonly Outcome[]
}

/** A call, and how its reply is read. */
export interface DecideCall extends ScriptCall {
  readonly script: Script
  read(reply: unknown): Said
}

export class OneCall implements DecideCall {
  declare readonly script: Script
  declare readonly keys: string[]
  declare readonly args: Argument[]
  declare readonly one: { readonly question: Question; readonly check: Check }

  constructor(
    script: Script,
    { keys, args }: ScriptCall,
    one: { readonly question: Question; readonly check: Check },
  ) {
    this.script = script
    this.keys = keys
    this.args = args
    this.one = one
  }

  read(reply: unknown): Said {
    if (typeof reply === 'string') return readAdmitted(this.one.check, reply)
    const values = listOf(reply)
    const serverUs = integerOf(values[0])
    return { serverUs, outcomes: [values.length === 1 ? 'late' : readOne(this.one, values)] }
  }
}

export class BatchCall implements DecideCall {
  readonly script: Script
  readonly keys: string[]
  readonly args: Argument[]
  readonly #batch: readonly PendingQuestion[]
  readonly #measured: (checkUs: number) => void

  constructor(
    script: Script,
    { keys, args }: ScriptCall,
    about: { readonly batch: readonly PendingQuestion[]; readonly measured: (checkUs: number) => void },
  ) {
    this.script = script
    this.keys = keys
    this.args = args
    this.#batch = about.batch
    this.#measured = about.measured
  }

  read(reply: unknown): Said {
    const values = listOf(reply)
    const serverUs = integerOf(values[0])
    const spentUs = integerOf(values[1])
    const rows = new PackedRows(values)
    const outcomes = this.#batch.map(({ question }) => rows.next(question))
    rows.end()
    if (spentUs > 0) this.#measured(spentUs / this.keys.length)
    return { serverUs, outcomes }
  }
}
