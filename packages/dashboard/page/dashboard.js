// The page: messages from the server become state, and the state is shown once per frame.
import { byId, setText } from './dom.js'
import { showEvents } from './events.js'
import { inspect, inspectNamed, lookAgain, tellOfKey } from './inspect.js'
import { keyTable } from './keys.js'
import { asksForOne } from './order.js'
import { showOutage, showStore, showTotals } from './overview.js'
import { letGoOfCursor, showRows } from './rows.js'
import { apply, emptyState } from './state.js'
import { showLive, showLost, showPaused, showTitle } from './status.js'
import { followStream } from './stream.js'
import { hashOf, viewOf } from './view.js'

const state = emptyState()
const view = viewOf(location.hash)
/** `heard`: whether the server has sent everything; `retryAtMs`: when the page tries again, null if it need not. */
const link = { everyRow: false, paused: false, heard: false, retryAtMs: null }
const showKeys = keyTable({ inspect, changed: showSoon })
const stream = followStream({ address, take, lose })
let frame = null
let keyOpen = false

function address() {
  return `stream?span=${view.span}${link.everyRow ? '&rows=all' : ''}`
}

function take(message) {
  link.retryAtMs = null
  const wasAway = isAway()
  if (!apply(state, message)) stream.open()
  // A key that was opened meanwhile could not be looked at.
  if (wasAway && !isAway()) lookAgain()
  if (message.event === 'history') link.heard = true
  showSoon()
}

const isAway = () => (state.store?.awayFromMs ?? null) !== null

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
  showTitle(link, state)
  if (!link.heard) return
  showTotals(state)
  showStore(state)
  showOutage(state)
  showRows(state, { ...view, live: !link.paused && link.retryAtMs === null })
  showKeys(state)
  openKey()
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

/** The key of an address that somebody has sent, for whoever may look into it. */
function openKey() {
  const { key } = view
  if (key === null || keyOpen || state.hello.mayManage !== true) return
  keyOpen = true
  void inspectNamed(key)
}

function useAddress() {
  Object.assign(view, viewOf(location.hash))
  byId('spans').querySelector(`[value="${view.span}"]`).checked = true
  byId('order').value = view.order
  byId('filter').value = view.filter
  byId('windows').checked = view.windows
  // A row that is filtered by name may not be among those sent by default.
  if (view.filter !== '' || asksForOne(view)) link.everyRow = true
}

/** The address follows what is chosen, without an entry in the browser's history. */
function saveAddress() {
  history.replaceState(null, '', `${location.pathname}${location.search}${hashOf(view)}`)
}

tellOfKey((key) => {
  keyOpen = key !== null
  view.key = key
  saveAddress()
})
byId('pause').addEventListener('click', () => (link.paused ? resume() : pause()))
byId('spans').addEventListener('change', ({ target }) => {
  view.span = Number(target.value)
  saveAddress()
  letGoOfCursor()
  resume()
})
byId('order').addEventListener('change', ({ target }) => {
  view.order = target.value
  saveAddress()
  // The server sends those with the most refused.
  if (view.order === 'nearest') wantEveryRow()
  showSoon()
})
byId('filter').addEventListener('input', ({ target }) => {
  view.filter = target.value
  saveAddress()
  wantEveryRow()
  showSoon()
})
byId('windows').addEventListener('change', ({ target }) => {
  view.windows = target.checked
  saveAddress()
  showSoon()
})
addEventListener('hashchange', () => {
  // The link that skips the bar leads to a place on the page.
  if (location.hash === '#policies') return
  useAddress()
  stream.open()
  resume()
})
byId('show-others').addEventListener('click', () => {
  Object.assign(view, { limiter: null, policy: null })
  saveAddress()
  showSoon()
})
byId('show-idle').addEventListener('click', () => {
  view.idle = !view.idle
  if (view.idle) wantEveryRow()
  showSoon()
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
