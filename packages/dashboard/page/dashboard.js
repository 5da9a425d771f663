// The page: messages from the server become state, and the state is shown once per frame.
import { byId, setText } from './dom.js'
import { showEvents } from './events.js'
import { inspect } from './inspect.js'
import { keyTable } from './keys.js'
import { showOutage, showStore, showTotals } from './overview.js'
import { letGoOfCursor, showRows } from './rows.js'
import { apply, emptyState } from './state.js'
import { showLive, showLost, showPaused } from './status.js'
import { followStream } from './stream.js'
import { viewOf } from './view.js'

const state = emptyState()
const view = viewOf(location.hash)
/** `heard`: whether the server has sent everything; `retryAtMs`: when the page tries again, null if it need not. */
const link = { span: 300, everyRow: false, paused: false, heard: false, retryAtMs: null }
const showKeys = keyTable({ inspect })
const stream = followStream({ address, take, lose })
let frame = null

function address() {
  return `stream?span=${link.span}${link.everyRow ? '&rows=all' : ''}`
}

function take(message) {
  link.retryAtMs = null
  if (!apply(state, message)) stream.open()
  if (message.event === 'history') link.heard = true
  showSoon()
}

function lose(waitMs) {
  link.retryAtMs = performance.now() + waitMs
  showSoon()
}

function showSoon() {
  if (frame === null) frame = requestAnimationFrame(show)
}

function show() {
  frame = null
  showStatus()
  if (!link.heard) return
  showTotals(state)
  showStore(state)
  showOutage(state)
  showRows(state, { ...view, live: !link.paused && link.retryAtMs === null })
  showKeys(state)
  showEvents(state)
}

function showStatus() {
  const lastSeconds = link.heard ? state.nowMs / 1000 : null
  if (link.paused) showPaused(lastSeconds)
  else if (link.retryAtMs !== null) showLost(lastSeconds, link.retryAtMs - performance.now())
  else if (link.heard) showLive()
}

function pause() {
  link.paused = true
  link.retryAtMs = null
  stream.close()
  setText(byId('pause'), 'Resume')
  showSoon()
}

function resume() {
  link.paused = false
  stream.open()
  setText(byId('pause'), 'Pause')
}

/** Requests all rows: by default the server sends only those with the most refused. */
function wantEveryRow() {
  if (link.everyRow || state.rows.length === state.rowCount) return
  link.everyRow = true
  resume()
}

function useAddress() {
  Object.assign(view, viewOf(location.hash), { order: view.order })
  byId('filter').value = view.filter
  byId('windows').checked = view.windows
  // A row that is filtered by name may not be among those sent by default.
  if (view.filter !== '') link.everyRow = true
}

byId('pause').addEventListener('click', () => (link.paused ? resume() : pause()))
byId('spans').addEventListener('change', ({ target }) => {
  link.span = Number(target.value)
  letGoOfCursor()
  resume()
})
byId('order').addEventListener('change', ({ target }) => {
  view.order = target.value
  showSoon()
})
byId('filter').addEventListener('input', ({ target }) => {
  view.filter = target.value
  wantEveryRow()
  showSoon()
})
byId('windows').addEventListener('change', ({ target }) => {
  view.windows = target.checked
  showSoon()
})
addEventListener('hashchange', () => {
  useAddress()
  stream.open()
  resume()
})
byId('show-all').addEventListener('click', () => {
  view.all = true
  wantEveryRow()
  showSoon()
})
addEventListener('resize', showSoon)
// Counts down the wait until the next try.
setInterval(() => link.retryAtMs !== null && showStatus(), 1000)
useAddress()
stream.open()
