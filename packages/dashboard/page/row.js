// One policy's row: its name, its chart, its four numbers.
import { copyOf, setAttribute, setText } from './dom.js'
import { count, rate, share } from './numbers.js'
import { isKnown, seriesOf, totalsOf } from './state.js'
import { chartWords, groupWords, mostLabel, mostUnit } from './words.js'

export function makeRow() {
  const node = copyOf('row')
  const part = (selector) => node.querySelector(selector)
  return {
    node,
    visible: false,
    target: part('.chart'),
    limiter: part('.limiter'),
    policy: part('.policy'),
    title: part('h3'),
    strategy: part('.strategy'),
    rule: part('.rule'),
    groups: part('.groups'),
    admitted: part('.admitted-now'),
    refused: part('.refused-now'),
    share: part('.share .value'),
    overMark: part('.over-mark'),
    mostLabel: part('.peak .label'),
    most: part('.peak .value'),
    mostUnit: part('.peak .unit'),
  }
}

/** Names it anew: what a row is may change with the limits. */
export function nameRow(row, info) {
  if (row.info === info) return
  row.info = info
  setText(row.limiter, info.limiter)
  // The slash is never the last in a line.
  setText(row.policy, info.policy === '' ? '' : ` /\u00a0${info.policy}`)
  setAttribute(row.title, 'title', row.title.textContent)
  setText(row.strategy, info.strategy)
  setText(row.rule, info.rule)
  setText(row.mostLabel, mostLabel(info))
  setText(row.mostUnit, mostUnit(info))
}

/** The numbers of the whole span. */
export function showTotalsOf(row, state) {
  const totals = totalsOf(state, row.info.id)
  const { limit } = row.info
  setText(row.share, share(totals.refused, totals.admitted + totals.refused))
  setText(row.most, count(totals.most))
  row.groups.hidden = totals.groups === undefined
  setText(row.groups, totals.groups === undefined ? '' : groupWords(totals.groups))
  row.overMark.hidden = limit === null || totals.most <= limit
  setAttribute(row.target, 'aria-label', chartWords(row.info, totals, state.hello.spanSeconds))
}

/** The numbers of one bucket: the last one, or the one at the cursor. */
export function showBucketOf(row, state, place) {
  const { admitted, refused } = seriesOf(state, row.info.id)
  const known = isKnown(state, place)
  showRate(row.admitted, known ? (admitted[place] ?? 0) : null, state.hello.stepSeconds)
  showRate(row.refused, known ? (refused[place] ?? 0) : null, state.hello.stepSeconds)
}

/** null: nothing is known. */
function showRate(node, value, stepSeconds) {
  setText(node.lastElementChild, value === null ? '–' : rate(value, stepSeconds))
  node.classList.toggle('zero', !value)
}
