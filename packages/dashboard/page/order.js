// Which rows are shown, and in what order.
import { seriesOf, totalsOf } from './state.js'
import { policyName } from './words.js'

/** More rows than these are shown only when asked for. */
export const mostShown = 50

const orders = {
  configured: () => 0,
  refused: (state, row) => -totalsOf(state, row.id).refused,
  nearest: (state, row) => -fullness(state, row),
}

/** Of the newest window, as a part of the limit. */
function fullness(state, { id, limit }) {
  const { inWindow } = seriesOf(state, id)
  return limit > 0 ? (inWindow[inWindow.length - 1] ?? 0) / limit : -1
}

/**
 * The rows whose names have the filter's text, in the chosen order: all of them, or those with the most refused.
 * `matching` is how many there would be in all.
 */
export function chosenRows(state, { order, filter, all }) {
  const wanted = filter.trim().toLowerCase()
  const named = state.rows.filter((row) => policyName(row).toLowerCase().includes(wanted))
  const shown = all || named.length <= mostShown ? named : mostRefused(state, named)
  return {
    rows: sorted(shown, (row) => orders[order](state, row)),
    matching: wanted === '' ? state.rowCount : named.length,
  }
}

function mostRefused(state, rows) {
  const first = new Set(sorted(rows, (row) => orders.refused(state, row)).slice(0, mostShown))
  return rows.filter((row) => first.has(row))
}

/** Equal ones stay as configured. */
const sorted = (rows, rank) => {
  const ranks = new Map(rows.map((row) => [row, rank(row)]))
  return [...rows].sort((a, b) => ranks.get(a) - ranks.get(b))
}
