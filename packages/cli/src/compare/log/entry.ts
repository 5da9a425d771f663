/** One request, of which fields are read on demand. */
export interface Entry {
  /** Unix time. */
  readonly atUs: number
  /** `ip`, `user`, `method`, `path`, `status`, `bytes`, or any other field of the format; undefined if the line does not have it. */
  field(name: string): string | undefined
}

/** One line of a log. Which of its fields is the client's address is found by looking at many lines. */
export interface LogEntry extends Entry {
  /** The names of the fields that it has, for `field`, in the order of the line. */
  names(): readonly string[]
  /** Whether the line is about a request: programs write others between those. */
  readonly isRequest: boolean
}

/** An entry, a description of what was expected, or undefined for a line that only describes others. */
export type Parsed = LogEntry | string | undefined

export type Parse = (line: string) => Parsed

/** The value of a field: `-`, which logs write for nothing, is none, but zero for a number of bytes. */
export function writtenValue(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (text !== '-') return text
  return bytesName.test(name) ? '0' : undefined
}

const bytesName = /bytes|size|length/i
