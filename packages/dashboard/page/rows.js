// The policies side by side on one axis of time.
import { showAxis } from './axis.js'
import { Charts, commonSpec, sizeFor } from './charts.js'
import { followCursor } from './cursor.js'
import { byId, keyedList, setText } from './dom.js'
import { clock, count } from './numbers.js'
import { chosenRows, mostShown } from './order.js'
import { makeRow, nameRow, showBucketOf, showTotalsOf } from './row.js'
import { endOf } from './state.js'
import { spanWords } from './words.js'

const phone = matchMedia('(max-width: 48rem)')

/** Answers `{ show(state, view), letGo() }`; `view` is `{ order, filter, all }`. */
export function policyRows() {
  const panel = { state: null, rows: [], cursor: null, charts: new Charts(), layout: null }
  const byNode = new Map()
  const watching = new IntersectionObserver((entries) => seen(panel, byNode, entries), {
    rootMargin: '200px',
  })
  const list = keyedList(byId('list'), {
    keyOf: ({ id }) => id,
    make: () => {
      const row = makeRow()
      byNode.set(row.node, row)
      watching.observe(row.node)
      return row
    },
    fill: nameRow,
    drop: ({ node, target }) => {
      watching.unobserve(node)
      byNode.delete(node)
      panel.charts.drop(target)
    },
  })
  const cursor = followCursor(byId('rows'), {
    extent: () => (panel.layout === null ? null : panel.layout.common),
    move: (second) => {
      panel.cursor = second
      showCursor(panel)
    },
  })
  return { show: (state, view) => show(panel, { state, view, list, byNode }), letGo: cursor.letGo }
}

function show(panel, { state, view, list, byNode }) {
  const facts = endOf(state) === null ? [] : chosenRows(state, view)
  panel.state = state
  showFrame(state, { view, shown: facts.length })
  if (state.rows.length === 0 || endOf(state) === null) panel.layout = null
  list(facts)
  panel.rows = [...byNode.values()]
  if (panel.rows.length === 0 && state.rows.length === 0) return
  const narrow = phone.matches
  const size = sizeFor(state.rowCount)
  const frame = { size, narrow, gutter: narrow ? 34 : 40 }
  panel.layout = { ...frame, common: commonSpec(state, facts, frame) }
  byId('rows').className = `rows ${size}`
  showAxis(panel.layout.common, frame)
  for (const row of panel.rows) {
    showTotalsOf(row, state)
    drawChart(panel, row)
  }
  showCursor(panel)
}

/** What is there at all: rows, or the word that there are none. */
function showFrame({ rows, rowCount, hello }, { view, shown }) {
  const none = rows.length === 0
  for (const id of ['rows', 'legend', 'ordering']) byId(id).hidden = none
  byId('no-rows').hidden = !none
  byId('filtering').hidden = rowCount <= mostShown
  byId('no-match').hidden = none || shown > 0
  byId('more').hidden = rowCount <= mostShown || view.all
  setText(byId('show-all'), `Show all ${count(rowCount)}`)
  setText(
    byId('policy-count'),
    none ? '' : shown < rowCount ? `${count(shown)} of ${count(rowCount)}` : count(rowCount),
  )
  setText(byId('share-of'), `% of ${spanWords[hello?.spanSeconds ?? 300]}`)
}

function drawChart({ state, charts, layout, cursor }, row) {
  charts.draw(state, row, { ...layout, point: cursor })
}

/** The numbers of the second below the cursor, or of the last one that has ended. */
function showCursor({ state, rows, cursor, charts, layout }) {
  if (layout === null) return
  const { from, step } = layout.common
  const last = state.xs.length - 1
  const place = cursor === null ? last : Math.min(Math.max(Math.round((cursor - from) / step), 0), last)
  for (const row of rows) showBucketOf(row, state, place)
  charts.point(cursor)
  setText(byId('cursor-time'), cursor === null ? 'Policy' : `at ${clock(state.xs[place])}`)
  byId('cursor-time').classList.toggle('when', cursor !== null)
}

/** Rows have come into view, or have left it. */
function seen(panel, byNode, entries) {
  for (const { target, isIntersecting } of entries) {
    const row = byNode.get(target)
    if (row === undefined) continue
    row.visible = isIntersecting
    if (panel.layout !== null) drawChart(panel, row)
  }
}
