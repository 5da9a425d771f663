/** What is known of a stream's terminal. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The terminal's columns; null where there is none, as in a pipe or a file, which break no lines: there everything is printed. */
export function terminalWidth({ isTTY, columns = 0 }: Screen = process.stdout): number | null {
  return isTTY && columns > 0 ? columns : null
}
