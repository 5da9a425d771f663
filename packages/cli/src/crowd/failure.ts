import { type ExitCode, exitCode } from '../exit-code.ts'

/** The run cannot continue; the message is one sentence for the user. */
export class Failure extends Error {
  readonly code: ExitCode

  constructor(message: string, code: ExitCode = exitCode.problems) {
    super(message)
    this.code = code
  }
}
