/** For who has started the zoo: it does not run, and why. One sentence, or one a line. */
export class Complaint extends Error {
  /** 2: the command line cannot be meant; 1: it can, but not now. */
  readonly exitCode: 1 | 2

  constructor(exitCode: 1 | 2, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}
