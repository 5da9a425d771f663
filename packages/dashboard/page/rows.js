// The policies side by side on one axis of time.
import { showAxis } from './axis.js'
import { Charts, commonSpec, mostUsual, sizeFor } from './charts.js'
import { followCursor } from './cursor.js'
import { byId, keyedList, setText } from './dom.js'
import { clock, count } from './numbers.js'
import { asksForOne, chosenRows } from './order.js'
import { makeRow, nameRow, showBucketOf, showTotalsOf } from './row.js'
import { isKnown, seriesOf } from './state.js'
import { cursorWords, cutWords, onlyWords, spanWords } from './words.js'

/** Room for "250/s" beside a chart. */
const gutter = 40
const charts = new Charts()
const rowByNode = new Map()
const watching = new IntersectionObserver(seen, { rootMargin: '200px' })
const list = keyedList(byId('list'), { keyOf: ({ id }) => id, make, fill: nameRow, drop })
const cursor = followCursor(byId('rows'), {
  extent: () => layout?.common ?? null,
  move: showCursor,
  rest: sayCursor,
})

let state = null
/** How charts are drawn: `{ size, gutter, width, common }`; null while there are none. */
let layout = null

/** `view`: `{ order, filter, windows, all, live }`. */
export function showRows(current, view) {
  state = current
  const { rows, matching, idle } = chosenRows(state, view)
  showFrame(rows.length, matching)
  showIdle(idle, view)
  showOnly(view)
  layout = state.rows.length === 0 ? null : layoutOf(rows, view)
  // Under the cursor rows stay where they are, whatever their order has become meanwhile.
  list(cursor.second() === null ? rows : inOldOrder(rows))
  if (layout === null) return
  byId('rows').className = `rows ${layout.size}`
  byId('legend').className = `legend ${layout.size}`
  showAxis(layout.common, { ...layout, live: view.live })
  for (const row of rowByNode.values()) {
    showTotalsOf(row, state)
    drawChart(row)
  }
  showCursor(cursor.second())
}

export const letGoOfCursor = () => cursor.letGo()

function inOldOrder(rows) {
  const places = new Map(
    [...byId('list').children].map((node, place) => [rowByNode.get(node).info.id, place]),
  )
  const place = ({ id }) => places.get(id) ?? places.size
  return [...rows].sort((a, b) => place(a) - place(b))
}

function layoutOf(rows, view) {
  const width = Math.max(10, byId('axis').parentElement.clientWidth - gutter)
  const frame = { size: sizeFor(rows.length, view), gutter, width }
  return { ...frame, common: commonSpec(state, rows, frame) }
}

/** What is there at all: rows, fewer rows than there are, or the word that there are none. */
function showFrame(shown, matching) {
  const { rows, rowCount, cutRows, hello } = state
  const none = rows.length === 0
  for (const id of ['rows', 'legend', 'ordering']) byId(id).hidden = none
  byId('no-rows').hidden = !none
  byId('filtering').hidden = rowCount <= mostUsual
  byId('windowing').hidden = shown <= mostUsual
  byId('cut').hidden = cutRows === 0
  setText(byId('cut'), cutWords(cutRows))
  byId('no-match').hidden = none || shown > 0
  byId('more').hidden = shown >= matching
  setText(byId('show-all'), `Show all ${count(matching)}`)
  setText(
    byId('policy-count'),
    none ? '' : shown < rowCount ? `${count(shown)} of ${count(rowCount)}` : count(rowCount),
  )
  setText(byId('share-of'), `% of ${spanWords[hello.spanSeconds]}`)
}

/** The rows without a request in the time shown, as one line. */
function showIdle(idle, view) {
  byId('idle').hidden = idle === 0
  const policies = idle === 1 ? '1 policy' : `${count(idle)} policies`
  setText(byId('idle-words'), `${policies} without requests in ${spanWords[state.hello.spanSeconds]}`)
  setText(byId('show-idle'), view.idle ? 'Hide' : 'Show')
}

/** What the address has asked for. */
function showOnly(view) {
  byId('only').hidden = !asksForOne(view)
  setText(byId('only-words'), onlyWords(view))
}

function make() {
  const row = makeRow()
  rowByNode.set(row.node, row)
  watching.observe(row.node)
  return row
}

function drop({ node, target }) {
  watching.unobserve(node)
  rowByNode.delete(node)
  charts.drop(target)
}

/** Rows have come into view, or have left it. */
function seen(entries) {
  for (const { target, isIntersecting } of entries) {
    const row = rowByNode.get(target)
    if (row === undefined) continue
    row.visible = isIntersecting
    drawChart(row)
  }
}

function drawChart(row) {
  if (layout !== null) charts.draw(state, row, { ...layout, point: cursor.second() })
}

/** The numbers of the second below the cursor, or of the last one that has ended. */
function showCursor(second) {
  if (layout === null) return
  const place = placeOf(second)
  for (const row of rowByNode.values()) showBucketOf(row, state, place)
  charts.point(second)
  setText(byId('cursor-time'), second === null ? 'Policy' : `at ${clock(state.xs[place])}`)
  byId('cursor-time').classList.toggle('when', second !== null)
}

/** The bucket of a second; the last one for null. */
function placeOf(second) {
  const { xs, hello } = state
  const last = xs.length - 1
  return second === null
    ? last
    : Math.min(Math.max(Math.round((second - xs[0]) / hello.stepSeconds), 0), last)
}

/** The same numbers for whoever cannot see them, in the order of the rows. */
function sayCursor(second) {
  if (second === null || layout === null) {
    setText(byId('cursor-said'), '')
    return
  }
  const place = placeOf(second)
  if (!isKnown(state, place)) {
    setText(byId('cursor-said'), `${clock(state.xs[place])}: not known`)
    return
  }
  const rows = [...byId('list').children].map((node) => {
    const { info } = rowByNode.get(node)
    const { admitted, refused } = seriesOf(state, info.id)
    return { info, admitted: admitted[place] ?? 0, refused: refused[place] ?? 0 }
  })
  setText(byId('cursor-said'), cursorWords(rows, { second: state.xs[place], ...state.hello }))
}
