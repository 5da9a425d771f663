import { seriesOf } from '/dashboard/state.js'

/**
 * What an attraction has refused in each second, by its limit for everybody and by its gates, the limits of each visitor. An order
 * that both refuse is counted by both: the larger number is what was refused at least.
 */
export function refusedOf(state, chart) {
  const refused = new Array(state.xs.length).fill(0)
  for (const { id } of state.rows.filter((row) => chart !== null && countsFor(chart, row))) {
    for (const [place, units] of seriesOf(state, id).refused.entries())
      refused[place] = Math.max(refused[place], units)
  }
  return refused
}

const countsFor = ({ limiter, policy, gates }, row) =>
  row.limiter === limiter && (row.policy === policy || row.policy.startsWith(gates))
