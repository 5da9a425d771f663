/** The columns of the lines that follow. */
export interface Columns {
  readonly names: readonly string[]
  readonly delimiter: string
}

/** The columns that a W3C log names (IIS, CloudFront, Zeek). Tabs may separate the names, or only the cells of the lines below. */
export function directiveIn(line: string): Columns | undefined {
  const [, names] = /^#fields:?[ \t]+(.*)$/i.exec(line) ?? []
  if (names === undefined) return undefined
  return { names: names.trim().split(/[ \t]+/), delimiter: names.includes('\t') ? '\t' : ' ' }
}

const delimiters = [',', '\t', ';'] as const
const columnName = /^[A-Za-z_@][\w @.:/()-]{0,80}$/

/** The columns that the first line of a file of cells names: it has nothing but names, one of them that of a time. */
export function headerIn(line: string): Columns | undefined {
  for (const delimiter of delimiters) {
    const names = cellsOf(line, delimiter).map((name) => name.trim())
    if (names.length < 2 || !names.every((name) => columnName.test(name))) continue
    if (names.some((name) => /time|date|^ts$/i.test(name))) return { names, delimiter }
  }
  return undefined
}

/** A line as an object; undefined where it has fewer cells. */
export function rowOf(line: string, { names, delimiter }: Columns): object | undefined {
  // CloudFront names its columns with spaces between, and separates cells with tabs.
  const cells = cellsOf(line, delimiter === ' ' && line.includes('\t') ? '\t' : delimiter)
  if (cells.length < names.length) return undefined
  return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))
}

/** Splits a line into cells. They may be quoted, with a quote inside written twice. */
export function cellsOf(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter)
  const cells: string[] = []
  for (let at = 0; at <= line.length; ) {
    const { text, end } = line[at] === '"' ? quotedCell(line, at) : plainCell(line, at, delimiter)
    cells.push(text)
    at = end + 1
  }
  return cells
}

function plainCell(line: string, at: number, delimiter: string): { text: string; end: number } {
  const end = line.indexOf(delimiter, at)
  return end < 0 ? { text: line.slice(at), end: line.length } : { text: line.slice(at, end), end }
}

function quotedCell(line: string, at: number): { text: string; end: number } {
  let end = line.indexOf('"', at + 1)
  while (end >= 0 && line[end + 1] === '"') end = line.indexOf('"', end + 2)
  const close = end < 0 ? line.length : end
  return { text: line.slice(at + 1, close).replaceAll('""', '"'), end: close + 1 }
}
