import type { Asker, Question } from '@sluice/core'
import type { Desk } from './desk.ts'
import { writeQuestion } from './wire/questions.ts'
import { readRows } from './wire/rows.ts'
import type { Sheet } from './wire/sheet.ts'
import type { Verb } from './wire/verbs.ts'

/** A call to the process that holds the counts. */
export interface Call {
  /** Whether nobody waits for it any longer. */
  readonly done: boolean
  write(sheet: Sheet): readonly unknown[]
  /** Passes the answer on. Throws if it is no answer to this call. */
  answered(written: unknown): void
  /** Runs the call in this process, which holds the counts by now. */
  runAt(desk: Desk): void
  failed(error: Error): void
  /**
   * Whether the call may be sent again, after the process that got it has gone, perhaps with its counts. Only once: a call that itself ends
   * its connection would do so for ever.
   */
  again(): boolean
}

/** A question of a limiter. */
export class QuestionCall implements Call {
  readonly #question: Question
  readonly #asker: Asker
  #isSecond = false

  constructor(question: Question, asker: Asker) {
    this.#question = question
    this.#asker = asker
  }

  get done(): boolean {
    return this.#asker.done === true
  }

  write(sheet: Sheet): readonly unknown[] {
    return writeQuestion(this.#question, sheet)
  }

  answered(written: unknown): void {
    this.#asker.answered(readRows(written, this.#question.checks))
  }

  runAt(desk: Desk): void {
    this.#asker.answered(desk.answer(this.#question))
  }

  failed(error: Error): void {
    this.#asker.failed(error)
  }

  again(): boolean {
    if (this.#isSecond || this.done) return false
    this.#isSecond = true
    return true
  }
}

/** Any other call; its caller has a promise. */
export class VerbCall<Given, Answer> implements Call {
  readonly promise: Promise<Answer>
  readonly done = false
  readonly #verb: Verb<Given, Answer>
  readonly #given: Given
  #isSecond = false
  #resolve: (answer: Answer) => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(verb: Verb<Given, Answer>, given: Given) {
    this.#verb = verb
    this.#given = given
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  write(sheet: Sheet): readonly unknown[] {
    return [this.#verb.number, ...this.#verb.write(this.#given, sheet)]
  }

  answered(written: unknown): void {
    this.#resolve(this.#verb.readAnswer(written, this.#given))
  }

  runAt(desk: Desk): void {
    this.#resolve(this.#verb.run(desk, this.#given))
  }

  failed(error: Error): void {
    this.#reject(error)
  }

  again(): boolean {
    if (this.#isSecond || !this.#verb.repeatable) return false
    this.#isSecond = true
    return true
  }
}
