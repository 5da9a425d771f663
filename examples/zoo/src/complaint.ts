/** Why the zoo cannot run, for the user. One sentence, or one per line. */
export class Complaint extends Error {
  /** 2: the command line is invalid; 1: it is valid, but cannot be carried out now. */
  readonly exitCode: 1 | 2

  constructor(exitCode: 1 | 2, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}
