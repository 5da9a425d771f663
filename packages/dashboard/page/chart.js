// One chart in three lanes: what was admitted in the window against the limit, then a waterline from which admitted units
// rise and refused ones hang.

import { colors, watchColors } from './chart-colors.js'
import { paintAbove, paintBehind } from './chart-paint.js'
import { downward, fullLanes, topsOf, upward } from './chart-scale.js'
import { uPlot } from './uplot.js'

const narrowestPlot = 80

/**
 * Draws a chart into `target`, whose width it follows. Answers `{ update(spec, data), point(second), destroy() }`; `update`
 * takes the parts of the spec that have changed, `point` moves the upright line to a second, or away for null.
 *
 * `spec`, times in seconds since 1970:
 * - `from`, `to`: the edges; `step`: seconds a bucket; `every`: seconds between lines of the grid
 * - `height` in px; `gutter`: px for numbers at the left, 0 for none; `lanes`: `fullLanes` unless given
 * - `limit`: the dashed line, null for none; `windowSeconds`: what the upper lane adds up over
 * - `shade`: 'sliding', 'fixed' (with `edges`, the windows' ends), 'nested' (with `windowsSeconds`) or 'none'
 * - `known`: nothing is known of what was before; null: all is
 * - `outages`: hatched spans `[from, to]`, open ones with null
 * - `top`, `head`: of `sharedScale` in chart-scale.js; left out, the chart has a scale of its own
 * - `unit`: of the bars, '/s' unless given
 * - `ago`: times below, counted back from the end, for which this word stands, such as "now"; `caption`: a word below the upper lane
 *
 * `data`: `{ xs, inWindow, admitted, refused }`, the buckets' beginnings and their values, the oldest first.
 */
export function flowChart(target, spec, data) {
  const chart = { spec: { lanes: fullLanes, gutter: 0, ...spec }, tops: undefined }
  chart.tops = topsOf(chart.spec, data)
  const plot = new uPlot(plotOptions(chart, target), closed(chart.spec, data), target)
  const resizing = new ResizeObserver(() => plot.setSize(sizeOf(chart.spec, target)))
  resizing.observe(target)
  const unwatch = watchColors(() => plot.redraw(false))
  return {
    update(nextSpec, nextData) {
      Object.assign(chart.spec, nextSpec)
      chart.tops = topsOf(chart.spec, nextData)
      plot.setData(closed(chart.spec, nextData))
    },
    point(second) {
      plot.setCursor(second === null ? { left: -10, top: -10 } : { left: plot.valToPos(second, 'x'), top: 0 })
    },
    destroy() {
      unwatch()
      resizing.disconnect()
      plot.destroy()
    },
  }
}

/** With a closing point, so that the line reaches the end of the last bucket. */
function closed({ to, step, known = null }, { xs, inWindow, admitted, refused }) {
  const end = xs.length === 0 ? to : xs[xs.length - 1] + step
  const drawn = (values) =>
    known === null ? values : values.map((value, i) => (xs[i] < known ? null : value))
  return [
    [...xs, end],
    [...drawn(inWindow), inWindow[inWindow.length - 1] ?? 0],
    [...drawn(admitted), null],
    [...drawn(refused), null],
  ]
}

const sizeOf = ({ height }, target) => ({ width: Math.max(narrowestPlot, target.clientWidth), height })

function plotOptions(chart, target) {
  const { lanes, gutter, ago } = chart.spec
  return {
    ...sizeOf(chart.spec, target),
    padding: [2, 0, ago ? 18 : 2, gutter],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, bind: deaf },
    scales: {
      x: { time: false, range: () => [chart.spec.from, chart.spec.to] },
      window: { range: () => upward(chart.tops.window, lanes.window ?? [0, 1]) },
      up: { range: () => upward(chart.tops.flow, lanes.up) },
      down: { dir: -1, range: () => downward(chart.tops.flow, lanes.down) },
    },
    axes: [{ show: false }, { show: false, scale: 'up' }],
    series: seriesOf(lanes),
    hooks: {
      drawClear: [(plot) => paintBehind(plot, chart.spec)],
      draw: [(plot) => paintAbove(plot, chart.spec, chart.tops)],
    },
  }
}

/** The page moves the upright line itself, through all charts at once, for the pointer and the keyboard alike. */
const deaf = Object.fromEntries(
  ['mousedown', 'mouseup', 'click', 'dblclick', 'mousemove', 'mouseleave', 'mouseenter'].map((name) => [
    name,
    () => null,
  ]),
)

function seriesOf(lanes) {
  const points = { show: false }
  const bars = uPlot.paths.bars({ size: [0.86, 40], align: 1 })
  const line = { paths: uPlot.paths.stepped({ align: 1 }), width: 1.5, show: lanes.window !== undefined }
  return [
    {},
    { scale: 'window', stroke: () => colors().mark, fill: () => colors().wash, points, ...line },
    { scale: 'up', fill: () => colors().mark, width: 0, paths: bars, points },
    { scale: 'down', fill: () => colors().refused, width: 0, paths: bars, points },
  ]
}
