/** The command that made a report, so that it can be made again. */
export interface Origin {
  /** As typed in a POSIX shell: `sluice compare access.log --policy gcra:100/1m`. */
  readonly command: string
  readonly version: string
}

export function originOf(args: readonly string[], version: string): Origin {
  return { command: ['sluice', ...args.map(quoted)].join(' '), version }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
