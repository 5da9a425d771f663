// What the page knows from the server.

/** Before the first message. Times of `history` are in seconds since 1970. */
export function emptyState() {
  return {
    hello: null,
    rows: [],
    rowCount: 0,
    cutRows: 0,
    xs: [],
    series: new Map(),
    totals: null,
    outages: [],
    edges: {},
    keys: [],
    keysAtMs: 0,
    store: null,
    storeAtMs: 0,
    events: [],
    /** The server's clock, and this page's clock when it was received. */
    nowMs: 0,
    receivedAtMs: 0,
    /** Received, and applied with the next history. */
    staged: {},
  }
}

/** The end of the newest bucket; null before there is one. */
export const endOf = ({ hello, xs }) => (xs.length === 0 ? null : xs[xs.length - 1] + hello.stepSeconds)

/** The server's clock now, from its last message. */
export const serverNowMs = ({ nowMs, receivedAtMs }) => nowMs + performance.now() - receivedAtMs

/** One row's buckets, all 0 for a row without data yet. */
export function seriesOf(state, id) {
  if (!state.series.has(id)) state.series.set(id, silence(state.xs.length))
  return state.series.get(id)
}

/** Whether anything is known of a bucket: its zeros are units then. */
export const isKnown = ({ xs, totals }, place) =>
  xs[place] >= (totals?.knownFromSecond ?? Number.NEGATIVE_INFINITY)

const silence = (length) => ({
  inWindow: new Array(length).fill(0),
  admitted: new Array(length).fill(0),
  refused: new Array(length).fill(0),
})

export const totalsOf = ({ totals }, id) => totals?.rows[id] ?? { admitted: 0, refused: 0, most: 0 }

const appliers = {
  hello: ({ staged }, message) => Object.assign(staged, { hello: message }),
  rows: ({ staged }, { rows, count, cut }) => Object.assign(staged, { rows, rowCount: count, cutRows: cut }),
  history: applyHistory,
  second: applySecond,
  keys: (state, { keys }) => Object.assign(state, { keys, keysAtMs: performance.now() }),
  store: (state, message) => Object.assign(state, { store: message, storeAtMs: performance.now() }),
  events: (state, { events }) => Object.assign(state, { events }),
}

/** Applies a message. Returns false if something was missed between two messages, so that the page must reconnect. */
export function apply(state, message) {
  if (message.nowMs !== undefined)
    Object.assign(state, { nowMs: message.nowMs, receivedAtMs: performance.now() })
  return appliers[message.event]?.(state, message) !== false
}

function applyHistory(state, { fromSecond, stepSeconds, rows, totals, outages, edges }) {
  Object.assign(state, state.staged, { totals, outages, edges })
  const length = Object.values(rows)[0]?.admitted.length ?? state.hello.spanSeconds / stepSeconds
  state.xs = Array.from({ length }, (_, place) => fromSecond + place * stepSeconds)
  state.series = new Map(
    Object.entries(rows).map(([id, { inWindow, admitted, refused }]) => [
      id,
      { inWindow, admitted, refused },
    ]),
  )
}

function applySecond(state, { fromSecond, rows, totals, outages, edges }) {
  if (state.totals === null) return true
  const place = (fromSecond - state.xs[0]) / state.hello.stepSeconds
  if (place < 0) return true
  if (place > state.xs.length) return false
  if (place === state.xs.length) stepOn(state, fromSecond)
  for (const id of Object.keys(rows)) seriesOf(state, id)
  const at = Math.min(place, state.xs.length - 1)
  for (const [id, series] of state.series) {
    const { inWindow = 0, admitted = 0, refused = 0 } = rows[id] ?? {}
    series.inWindow[at] = inWindow
    series.admitted[at] = admitted
    series.refused[at] = refused
  }
  Object.assign(state, { totals, outages, edges })
  return true
}

/** Drops the oldest bucket and adds an empty one. */
function stepOn({ xs, series }, fromSecond) {
  xs.shift()
  xs.push(fromSecond)
  for (const values of series.values()) {
    for (const list of [values.inWindow, values.admitted, values.refused]) {
      list.shift()
      list.push(0)
    }
  }
}
