import type { Asker, Question } from '@sluice/core'
import type { Desk } from './desk.ts'
import { writeQuestion } from './wire/questions.ts'
import { readRows } from './wire/rows.ts'
import type { Sheet } from './wire/sheet.ts'
import type { Verb } from './wire/verbs.ts'

/** Something that is asked of the process that holds the counts. */
export interface Call {
  /** Nobody waits for it any longer. */
  readonly done: boolean
  write(sheet: Sheet): readonly unknown[]
  /** Throws for what is no answer to it. */
  answered(written: unknown): void
  /** The counts have come to this process meanwhile. */
  runAt(desk: Desk): void
  failed(error: Error): void
  /**
   * The process that it was sent to has gone, and perhaps its counts: whether another may be asked. Once: what brings its connection to an
   * end would do so for ever.
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

/** Anything else, of which the caller has a promise. */
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
