import type { Board } from './board.ts'
import type { Row } from './row.ts'
import { hourSeconds } from './row-info.ts'
import type { Sums } from './sums.ts'
import type { RowHistory, Totals } from './wire.ts'

/** A span and the length of a bucket in it. */
export interface Span {
  readonly seconds: number
  readonly stepSeconds: number
}

/** A policy that refused in these last seconds counts as refusing now. */
const nowSeconds = 5

/** When the bucket of a second begins. */
export function bucketOf(second: number, { stepSeconds }: Span): number {
  return Math.floor(second / stepSeconds) * stepSeconds
}

export function firstBucket(lastSecond: number, span: Span): number {
  return bucketOf(lastSecond, span) - span.seconds + span.stepSeconds
}

interface Bucket {
  readonly inWindow: number
  readonly admitted: number
  readonly refused: number
}

/** The bucket of a row that begins at a second. */
export function bucketIn(
  { local, lastSecond }: Local,
  row: Row,
  span: readonly [from: number, to: number],
): Bucket {
  const [from, to] = [span[0], Math.min(span[1], lastSecond)]
  return {
    inWindow: mostOf(local, row, [from, to]),
    admitted: perSecond(row.admitted, from, to),
    refused: perSecond(row.refused, from, to),
  }
}

/** The units that were decided without the store, and the last second that is known. */
type Local = Pick<Board, 'local' | 'lastSecond'>

/**
 * Units are counted by whole seconds, and one that was decided at a border may stand on either side of it. So a window may seem to
 * hold a little more than an exact strategy has ever admitted: then what it promises is shown, unless the store was away.
 */
function mostOf(local: Sums, row: Row, [from, to]: readonly [from: number, to: number]): number {
  const most = row.most(from, to)
  const { promised } = row
  if (promised === null || most <= promised || row.surelyExceeds(promised, from, to)) return most
  return local.in(to, to - from + row.windowSeconds) > 0 ? most : promised
}

/** Units per second: at least 0, even where more was given back than charged. */
function perSecond(sums: Sums, from: number, last: number): number {
  const seconds = last - from + 1
  return Math.max(0, Math.round((100 * sums.in(last, seconds)) / seconds) / 100)
}

/** All buckets of a span, the oldest first. */
export function historyOf(board: Board, row: Row, span: Span): RowHistory {
  const history = { inWindow: [] as number[], admitted: [] as number[], refused: [] as number[] }
  const { stepSeconds } = span
  const { lastSecond } = board
  for (let from = firstBucket(lastSecond, span); from <= lastSecond; from += stepSeconds) {
    const bucket = bucketIn(board, row, [from, from + stepSeconds - 1])
    history.inWindow.push(bucket.inWindow)
    history.admitted.push(bucket.admitted)
    history.refused.push(bucket.refused)
  }
  return history
}

/** Totals over a span, with rows only for those shown. */
export function totalsOf(board: Board, rows: readonly Row[], { seconds }: Span): Omit<Totals, 'keysAtLimit'> {
  const last = board.lastSecond
  let refusingNow = 0
  for (const row of board.rows) if (row.refused.in(last, nowSeconds) > 0) refusingNow++
  return {
    admitted: board.admitted.in(last, seconds),
    refused: board.refused.in(last, seconds),
    local: board.local.in(last, seconds),
    busiest: busiestOf(board, seconds),
    before: beforeOf(board, seconds),
    knownFromSecond: board.firstSecond > last - seconds + 1 ? board.firstSecond : null,
    refusingNow,
    rows: Object.fromEntries(rows.map((row) => [row.id, rowTotals(board, row, seconds)])),
  }
}

function rowTotals({ local, lastSecond: last }: Board, row: Row, seconds: number): Totals['rows'][string] {
  const groups = row.groups.shown(last, seconds)
  return {
    ...(groups.length > 0 && { groups }),
    admitted: Math.max(0, row.admitted.in(last, seconds)),
    refused: row.refused.in(last, seconds),
    most: mostOf(local, row, [last - seconds + 1, last]),
  }
}

/** The span of the same length before: null if it reaches back further than what is kept. */
function beforeOf({ admitted, refused, firstSecond, lastSecond }: Board, seconds: number): Totals['before'] {
  const last = lastSecond - seconds
  if (2 * seconds > hourSeconds || firstSecond > last - seconds + 1) return null
  return { admitted: admitted.in(last, seconds), refused: refused.in(last, seconds) }
}

/** The second with the most units; of equal ones the latest. */
function busiestOf({ admitted, refused, lastSecond }: Board, seconds: number): Totals['busiest'] {
  let busiest: Totals['busiest'] = null
  for (let second = lastSecond - seconds + 1; second <= lastSecond; second++) {
    const units = admitted.in(second, 1) + refused.in(second, 1)
    if (units > 0 && units >= (busiest?.units ?? 0)) busiest = { units, atSecond: second }
  }
  return busiest
}
