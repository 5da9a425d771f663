// The totals, the store, and the banner while the store is away.
import { byId, setFigure, setText } from './dom.js'
import { clock, count, elapsed, share } from './numbers.js'
import { serverNowMs } from './state.js'
import { outageWords, spanWords, storeState } from './words.js'

export function showTotals({ hello, totals, rowCount }) {
  const {
    admitted = 0,
    refused = 0,
    local = 0,
    before = null,
    busiest = null,
    refusingNow = 0,
    keysAtLimit = 0,
    knownFromSecond = null,
  } = totals ?? {}
  const all = admitted + refused
  const inSpan =
    knownFromSecond === null
      ? `in ${spanWords[hello?.spanSeconds ?? 300]}`
      : `since ${clock(knownFromSecond)}; not known before`
  setFigure(byId('admitted'), count(admitted))
  setText(byId('admitted-sub'), inSpan)
  setText(byId('admitted-before'), beforeWords(before?.admitted, hello))
  setFigure(byId('refused'), count(refused))
  setText(byId('refused-sub'), all === 0 ? inSpan : `${share(refused, all)} % of all`)
  setText(byId('refused-before'), beforeWords(before?.refused, hello))
  setFigure(byId('busiest'), busiest === null ? '–' : count(busiest.units), busiest === null ? '' : '/s')
  setText(byId('busiest-sub'), busiest === null ? 'no requests yet' : `at ${clock(busiest.atSecond)}`)
  setFigure(byId('refusing'), count(refusingNow), rowCount === 0 ? '' : ` of ${count(rowCount)}`)
  setFigure(byId('at-limit'), count(keysAtLimit))
  setFigure(byId('local'), count(local))
  byId('local-mark').hidden = local === 0
  setText(byId('local-sub'), local === 0 ? `none ${inSpan}` : `${share(local, all)} % of all`)
}

const beforeWords = (units, hello) =>
  units === undefined ? '' : `${count(units)} in the ${spanWords[hello.spanSeconds]} before`

export function showStore(state) {
  const { store } = state
  if (store === null) return
  const away = store.status === 'down'
  byId('store-mark').className = markOf(store)
  setText(byId('store-state'), storeState(store))
  setText(byId('store-for'), away ? 'away for' : 'for')
  setText(byId('store-since'), elapsed(store.sinceMs + performance.now() - state.storeAtMs))
  setText(byId('store-failures'), count(store.failures))
  setText(byId('store-late'), count(store.lateReplies))
}

export function showOutage(state) {
  const { store } = state
  const away = store !== null && store.awayFromMs !== null
  if (away) {
    const { title, text } = outageWords(store)
    setText(byId('h-outage'), title)
    setText(byId('outage-words'), text)
    setText(byId('outage-away'), elapsed(serverNowMs(state) - store.awayFromMs))
    setText(byId('outage-local'), count(store.localUnits))
  }
  byId('outage').hidden = !away
}

function markOf({ name, status }) {
  if (name === '') return 'dot'
  return status === 'down' ? 'dot away' : 'dot live'
}
