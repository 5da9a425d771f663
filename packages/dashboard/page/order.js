// Which rows are shown, and in what order.
import { totalsOf } from './state.js'
import { policyName } from './words.js'

/** More rows than these are shown only when asked for. */
export const mostShown = 50

const orders = {
  configured: () => 0,
  refused: (state, row) => -totalsOf(state, row.id).refused,
  nearest: (state, row) => -fullness(state, row),
}

function isBusy(state, { id }) {
  const { admitted, refused } = totalsOf(state, id)
  return admitted > 0 || refused > 0
}

/** The most in a window, or of the fullest key, as a part of the limit: what the row shows. */
const fullness = (state, { id, limit }) => (limit > 0 ? totalsOf(state, id).most / limit : -1)

export const asksForOne = ({ limiter, policy }) => limiter !== null || policy !== null

/** The policy that an address asks for. One without a name of its own is "default" elsewhere, as in metrics. */
const isAsked = ({ limiter, policy }, asked) =>
  (asked.limiter === null || asked.limiter === limiter) &&
  (asked.policy === null || asked.policy === policy || (asked.policy === 'default' && policy === ''))

/**
 * The rows that the address asks for whose names have the filter's text, in the chosen order: all of them, or the first in that order, by default
 * those with the most refused.
 * `matching` is how many there would be in all, `idle` how many had no request in the time shown: they are folded away, unless the
 * view asks for them, there are no others, or some are asked for.
 */
export function chosenRows(state, view) {
  const { order, filter, all, idle } = view
  const wanted = filter.trim().toLowerCase()
  const isWhole = wanted === '' && !asksForOne(view)
  const matched = state.rows.filter(
    (row) => isAsked(row, view) && policyName(row).toLowerCase().includes(wanted),
  )
  const busy = matched.filter((row) => isBusy(state, row))
  const folds = isWhole && busy.length > 0 && busy.length < matched.length
  const named = folds && !idle ? busy : matched
  const shown = all || named.length <= mostShown ? named : firstOf(state, named, order)
  return {
    rows: sorted(shown, (row) => orders[order](state, row)),
    matching: isWhole && named === matched ? state.rowCount : named.length,
    idle: folds ? state.rowCount - busy.length : 0,
  }
}

function firstOf(state, rows, order) {
  const rank = order === 'nearest' ? orders.nearest : orders.refused
  const first = new Set(sorted(rows, (row) => rank(state, row)).slice(0, mostShown))
  return rows.filter((row) => first.has(row))
}

/** Equal ones stay as configured. */
const sorted = (rows, rank) => {
  const ranks = new Map(rows.map((row) => [row, rank(row)]))
  return [...rows].sort((a, b) => ranks.get(a) - ranks.get(b))
}
