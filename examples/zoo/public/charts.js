// The last minute of each attraction, from the stream of this server's dashboard.
import { flowChart } from '/dashboard/chart.js'
import { sharedScale } from '/dashboard/chart-scale.js'
import { clock } from '/dashboard/numbers.js'
import { apply, emptyState, endOf, seriesOf, serverNowMs } from '/dashboard/state.js'
import { followStream } from '/dashboard/stream.js'
import { createLine } from './line.js'
import { refusedOf } from './refused.js'
import { chartCaption, chartWords, inLineCaption, nowWord, spanLine } from './wording.js'

const spanSeconds = 60
const look = {
  step: 1,
  every: 20,
  height: 172,
  gutter: 38,
  lanes: { window: [0, 0.46], up: [0.55, 0.775], down: [0.775, 1] },
}
/** Of an attraction without a limit for everybody. */
const unlimited = { limit: null, shade: 'none', windowSeconds: 10, windowsSeconds: [] }

/**
 * Charts of the cards, all on one scale, drawn each second while the page can be seen. `set` says what an attraction's chart shows
 * and where, `drop` takes one away; `tell` gets the line above them, which says whether they go on.
 */
export function createCharts({ tell, page = document }) {
  const state = emptyState()
  const charts = new Map()
  let live = false
  const stream = followStream({
    address: () => `/dashboard/stream?span=${spanSeconds}&rows=all`,
    take,
    lose: stop,
  })

  function take(message) {
    if (!apply(state, message)) stream.open()
    if (message.event !== 'history' && message.event !== 'second') return
    live = true
    draw()
  }

  /** What is drawn stays, with its time instead of "now". */
  function stop() {
    live = false
    draw()
  }

  function draw() {
    const to = endOf(state)
    tell(spanLine(live, to))
    if (to === null) return
    const shown = [...charts.values()].map((chart) => [chart, pictureOf(state, chart)])
    const scale = sharedScale(shown.map(([, picture]) => picture))
    const ago = live ? nowWord : clock(to)
    const common = { ...look, ago, from: to - spanSeconds, to, outages: state.outages, ...scale }
    for (const [chart, { data, ...own }] of shown) {
      if (chart.drawing === undefined) chart.drawing = flowChart(chart.target, { ...common, ...own }, data)
      else chart.drawing.update({ ...common, ...own }, data)
      chart.target.setAttribute('aria-label', chartWords(chart.attraction, data, live ? null : clock(to)))
    }
  }

  function set(attraction, target) {
    const chart = charts.get(attraction.id) ?? { target, line: createLine() }
    chart.attraction = attraction
    charts.set(attraction.id, chart)
    const second = state.hello === null ? null : Math.floor(serverNowMs(state) / 1000)
    if (attraction.queue) chart.line.note(second, attraction.queue)
  }

  function drop(id) {
    charts.get(id)?.drawing?.destroy()
    charts.delete(id)
  }

  function turn() {
    if (!page.hidden) return stream.open()
    stream.close()
    stop()
  }

  page.addEventListener('visibilitychange', turn)
  tell(spanLine(live, null))
  stream.open()
  return { set, drop }
}

/** What one chart shows: the part of its spec that is its own, and its data. */
function pictureOf(state, { attraction, line }) {
  const { queue, limit, chart } = attraction
  if (queue !== undefined) return { ...unlimited, limit, caption: inLineCaption, data: line.dataOf(state.xs) }
  const own = chart === null ? undefined : rowOf(state, chart)
  // Before the first order the dashboard has no row: the policy itself says where the limit lies.
  const { shade, windowSeconds, windowsSeconds, ...facts } = own ?? chart ?? unlimited
  return {
    limit: facts.limit,
    shade,
    windowSeconds,
    windowsSeconds,
    edges: state.edges[own?.id] ?? [],
    caption: chartCaption({ shade, windowSeconds }),
    data: { xs: state.xs, ...seriesOf(state, own?.id ?? ''), refused: refusedOf(state, chart) },
  }
}

const rowOf = ({ rows }, { limiter, policy }) =>
  rows.find((row) => row.limiter === limiter && row.policy === policy)
