/** One line of a log; fields are read on demand. */
export interface Entry {
  /** Unix time. */
  readonly atUs: number
  /** `ip`, `user`, `method`, `path`, `status`, or any other field of the format; undefined if the line does not have it. */
  field(name: string): string | undefined
}

/** An entry, or a description of what was expected. */
export type Parsed = Entry | string

export type Parse = (line: string) => Parsed
