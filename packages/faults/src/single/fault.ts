/** One change to a source file. */
export interface SourceChange {
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
}

/** A fault that is put into the shipped code, one at a time, to see whether the tests that are meant to notice it do. */
export interface SingleFault extends SourceChange {
  readonly name: string
  /** What goes wrong. */
  readonly why: string
}

type Written = readonly [name: string, find: string, replace: string, why: string]

export function inFile(file: string, ...faults: readonly Written[]): readonly SingleFault[] {
  return faults.map(([name, find, replace, why]) => ({ file, name, find, replace, why }))
}

/** The file's text with the change. Throws where its place is not found exactly once. */
export function changedBy({ file, find, replace }: SourceChange, text: string): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${file}: found ${parts.length - 1} times, not once: ${find}`)
  return parts.join(replace)
}
