import { readFileSync } from 'node:fs'
import path from 'node:path'

export const measured = readFileSync(path.resolve(__dirname, '../../../docs/performance.md'), 'utf8')

/** A cell of a table of performance.md. undefined: there is none. */
export function cellOf({ section, row, column }: Record<'section' | 'row' | 'column', string>) {
  const table = tableOf(section)
  const at = table.get('')?.indexOf(column) ?? -1
  return table.get(row)?.[at]
}

/** The cells of a table by the first of each row; the head is under ''. */
function tableOf(section: string): ReadonlyMap<string, readonly string[]> {
  const [, text = ''] = measured.split(`\n### ${section}\n`)
  const lines = (text.split('\n### ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  return new Map(
    lines.map((line) => {
      const [first = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return [first, cells]
    }),
  )
}
