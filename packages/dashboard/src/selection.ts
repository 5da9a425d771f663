import type { Board } from './board.ts'
import type { Row } from './row.ts'
import { maxRows } from './wire.ts'

/** The rows to show, in order: when there are too many, those that refused most in the span, then those that admitted most. */
export function selectRows(
  board: Board,
  order: (rows: Iterable<Row>) => readonly Row[],
  about: { seconds: number; all: boolean },
): readonly Row[] {
  if (!board.decided) return []
  const rows = order(board.rows)
  if (about.all || rows.length <= maxRows) return rows
  const last = board.lastSecond
  const units = rows.map((row) => ({
    row,
    refused: row.refused.in(last, about.seconds),
    admitted: row.admitted.in(last, about.seconds),
  }))
  units.sort((a, b) => b.refused - a.refused || b.admitted - a.admitted)
  const shown = new Set(units.slice(0, maxRows).map(({ row }) => row))
  return rows.filter((row) => shown.has(row))
}
