import type { Board } from './board.ts'
import type { Row } from './row.ts'
import { maxRows } from './wire.ts'

/** The rows to show, in order: when there are too many, those that refused most in the span. */
export function selectRows(
  board: Board,
  order: (rows: Iterable<Row>) => readonly Row[],
  about: { seconds: number; all: boolean },
): readonly Row[] {
  if (!board.decided) return []
  const rows = order(board.rows)
  if (about.all || rows.length <= maxRows) return rows
  const last = board.lastSecond
  const units = new Map(rows.map((row) => [row, row.refused.in(last, about.seconds)]))
  const most = [...rows].sort((a, b) => (units.get(b) ?? 0) - (units.get(a) ?? 0)).slice(0, maxRows)
  const shown = new Set(most)
  return rows.filter((row) => shown.has(row))
}
