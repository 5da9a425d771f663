// The last minute of each attraction, from the stream of this server's dashboard.
import { flowChart } from '/dashboard/chart.js'
import { sharedScale } from '/dashboard/chart-scale.js'
import { apply, emptyState, endOf, seriesOf, serverNowMs } from '/dashboard/state.js'
import { followStream } from '/dashboard/stream.js'
import { createLine } from './line.js'
import { chartCaption, chartWords, inLineCaption } from './wording.js'

const spanSeconds = 60
const look = {
  step: 1,
  every: 20,
  ago: true,
  height: 172,
  gutter: 38,
  lanes: { window: [0, 0.46], up: [0.55, 0.775], down: [0.775, 1] },
}
/** Of what the dashboard knows nothing about. */
const unknown = { id: '', limit: null, shade: 'none', windowSeconds: 10, windowsSeconds: [] }

/**
 * Charts of the cards, all on one scale, drawn each second while the page can be seen. `set` says what an attraction's chart shows
 * and where, `drop` takes one away.
 */
export function createCharts({ page = document } = {}) {
  const state = emptyState()
  const charts = new Map()
  const stream = followStream({
    address: () => `/dashboard/stream?span=${spanSeconds}&rows=all`,
    take,
    // The page says by itself that the server is away.
    lose: () => {},
  })

  function take(message) {
    if (!apply(state, message)) stream.open()
    if (message.event === 'history' || message.event === 'second') draw()
  }

  function draw() {
    const to = endOf(state)
    if (to === null) return
    const shown = [...charts.values()].map((chart) => [chart, pictureOf(state, chart)])
    const scale = sharedScale(shown.map(([, picture]) => picture))
    const common = { ...look, from: to - spanSeconds, to, outages: state.outages, ...scale }
    for (const [chart, { data, ...own }] of shown) {
      if (chart.drawing === undefined) chart.drawing = flowChart(chart.target, { ...common, ...own }, data)
      else chart.drawing.update({ ...common, ...own }, data)
      chart.target.setAttribute('aria-label', chartWords(chart.attraction, data))
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

  page.addEventListener('visibilitychange', () => (page.hidden ? stream.close() : stream.open()))
  stream.open()
  return { set, drop }
}

/** What one chart shows: the part of its spec that is its own, and its data. */
function pictureOf(state, { attraction, line }) {
  const { queue, limit, row } = attraction
  if (queue !== undefined) return { ...unknown, limit, caption: inLineCaption, data: line.dataOf(state.xs) }
  const known = state.rows.find(({ limiter, policy }) => limiter === row?.limiter && policy === row?.policy)
  const facts = known ?? unknown
  return {
    limit: facts.limit,
    shade: facts.shade,
    windowSeconds: facts.windowSeconds,
    windowsSeconds: facts.windowsSeconds,
    edges: state.edges[facts.id] ?? [],
    caption: chartCaption(facts),
    data: { xs: state.xs, ...seriesOf(state, facts.id) },
  }
}
