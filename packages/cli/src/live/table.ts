import { oneLine } from '../one-line.ts'
import { paint } from '../print.ts'
import { shortened, widthOf } from '../terminal/text.ts'
import { terminalWidth } from '../terminal/width.ts'

/** Plain columns that fit the width: the widest ones are cut where there is no room, each as little as that allows. Numbers stand right. */
export function columns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const shown = rows.map((row) => row.map(oneLine))
  const widths = head.map((title, i) => Math.max(title.length, ...shown.map((row) => widthOf(row[i] ?? ''))))
  for (let over = total(widths) - width; over > 0; over--) {
    const most = Math.max(...widths)
    const widest = widths.indexOf(most)
    if (most <= (head[widest] ?? '').length) break
    widths[widest] = most - 1
  }
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => fitted(text, widths[i] ?? 0, isNumber(shown, i)))
      .join('  ')
      .trimEnd()
  return [paint('bold', line(head)), ...shown.map(line)]
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 2, -2)
}

function isNumber(rows: readonly (readonly string[])[], i: number): boolean {
  return rows.length > 0 && rows.every((row) => /^[\d,.]*$/.test(row[i] ?? ''))
}

function fitted(text: string, width: number, right: boolean): string {
  const cut = shortened(text, width)
  const space = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return right ? space + cut : cut + space
}

/** The width of the terminal; 80 in a pipe, and on a terminal that does not know its width. */
export function lineWidth(): number {
  return Math.max(40, terminalWidth() ?? 80)
}
