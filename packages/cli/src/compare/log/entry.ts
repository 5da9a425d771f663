/** One line of a log, as far as anybody asks for it. */
export interface Entry {
  /** Unix time. */
  readonly atUs: number
  /** `ip`, `user`, `method`, `path`, `status`, or whatever else the format holds; undefined where the line has none. */
  field(name: string): string | undefined
}

/** An entry, or in words what was expected of the line and is not there. */
export type Parsed = Entry | string

export type Parse = (line: string) => Parsed
