// What a chart shows beside its bars: behind them the windows, outages and time; above them waterline, limit and numbers.

import { colors, hatching } from './chart-colors.js'
import { uPlot } from './uplot.js'

const narrowestWindow = 12
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 1, useGrouping: false })

/** Paints what lies behind the bars. */
export function paintBehind(plot, spec) {
  plot.ctx.save()
  paintWindows(plot, spec)
  if (spec.known > spec.from) paintUnknown(plot, spec)
  for (const [from, to] of spec.outages ?? []) {
    paintBand(plot, { from, to: to ?? spec.to, fill: colors().hatchWash })
    paintBand(plot, { from, to: to ?? spec.to, fill: hatching(plot.ctx, uPlot.pxRatio) })
  }
  for (const second of gridOf(spec)) paintUpright(plot, second)
  if (spec.lanes.window) paintLevel(plot, plot.valToPos(0, 'window', true), colors().base)
  plot.ctx.restore()
}

/** Seconds of which nothing is known: shaded, so that nobody takes them for quiet ones. */
function paintUnknown(plot, { from, known }) {
  paintBand(plot, { from, to: known, fill: colors().unknown })
  const { ctx, bbox, valToPos } = plot
  const ratio = uPlot.pxRatio
  if (valToPos(known, 'x', true) - bbox.left < 70 * ratio) return
  const y = bbox.top + bbox.height - 3 * ratio
  paintText(ctx, 'not known', { x: bbox.left + 4 * ratio, y, align: 'left', baseline: 'bottom' })
}

/** Seconds at which lines of the grid stand: on the clock, or counted back from now. */
export function gridOf({ from, to, every, ago }) {
  const first = ago ? to - Math.floor((to - from) / every) * every : Math.ceil(from / every) * every
  const seconds = []
  for (let second = first; second <= to; second += every) seconds.push(second)
  return seconds
}

/** Every second fixed window, the last sliding one, all nested ones: where they are wide enough to be seen. */
function paintWindows(plot, spec) {
  for (const { end, seconds } of windowsOf(spec)) {
    const width = (seconds * plot.over.clientWidth) / (spec.to - spec.from)
    if (width < narrowestWindow) continue
    paintBand(plot, { from: end - seconds, to: Math.min(end, spec.to), fill: colors().window })
  }
}

function windowsOf({ to, shade, windowSeconds, windowsSeconds = [], edges = [] }) {
  if (shade === 'sliding') return [{ end: to, seconds: windowSeconds }]
  if (shade === 'nested') return windowsSeconds.map((seconds) => ({ end: to, seconds }))
  if (shade !== 'fixed') return []
  // Known by its time and not by its place in the list, from which the oldest window goes away.
  const shaded = edges.filter((end) => Math.round(end / windowSeconds) % 2 === 0)
  return shaded.map((end) => ({ end, seconds: windowSeconds }))
}

function paintBand({ ctx, bbox, valToPos }, { from, to, fill }) {
  const within = (second) =>
    Math.min(Math.max(valToPos(second, 'x', true), bbox.left), bbox.left + bbox.width)
  ctx.fillStyle = fill
  ctx.fillRect(within(from), bbox.top, within(to) - within(from), bbox.height)
}

function paintUpright({ ctx, bbox, valToPos }, second) {
  const x = crisp(valToPos(second, 'x', true))
  paintLine(ctx, [x, bbox.top, x, bbox.top + bbox.height], colors().grid)
}

function paintLevel({ ctx, bbox }, height, stroke) {
  const y = crisp(height)
  paintLine(ctx, [bbox.left, y, bbox.left + bbox.width, y], stroke)
}

function paintLine(ctx, [fromX, fromY, toX, toY], stroke) {
  ctx.lineWidth = hairline()
  ctx.strokeStyle = stroke
  ctx.beginPath()
  ctx.moveTo(fromX, fromY)
  ctx.lineTo(toX, toY)
  ctx.stroke()
}

const hairline = () => Math.max(1, Math.round(uPlot.pxRatio))

/** A hairline between two pixels would be grey and two wide. */
const crisp = (position) => Math.round(position) + (hairline() % 2) / 2

/** Paints what lies above the bars; `tops` are the ends of the scales. */
export function paintAbove(plot, spec, tops) {
  plot.ctx.save()
  paintLevel(plot, plot.valToPos(0, 'up', true), colors().quiet)
  if (spec.lanes.window && spec.limit > 0) paintLimit(plot, spec, tops)
  if (spec.gutter > 0) paintGutter(plot, spec, tops)
  if (spec.caption) {
    const below = plot.valToPos(0, 'window', true) + 3 * uPlot.pxRatio
    paintText(plot.ctx, spec.caption, { x: plot.bbox.left, y: below, align: 'left', baseline: 'top' })
  }
  if (spec.ago) paintAgo(plot, spec)
  plot.ctx.restore()
}

/** Fills what went over the limit, then draws the limit. What is higher than the scale shows a gap: it goes on. */
function paintLimit({ ctx, bbox, data, valToPos }, { limit, step }, tops) {
  const y = crisp(valToPos(limit, 'window', true))
  const [xs, inWindow] = data
  const ratio = uPlot.pxRatio
  for (let place = 0; place < xs.length - 1; place++) {
    if (inWindow[place] <= limit) continue
    const left = valToPos(xs[place], 'x', true)
    const width = Math.max(1, valToPos(xs[place] + step, 'x', true) - left) + 0.5
    const top = valToPos(inWindow[place], 'window', true)
    ctx.fillStyle = colors().mark
    ctx.fillRect(left, top, width, y - top)
    if (inWindow[place] <= tops.window) continue
    ctx.fillStyle = colors().surface
    ctx.fillRect(left, bbox.top + 4 * ratio, width, 2 * ratio)
  }
  ctx.setLineDash([4 * ratio, 3 * ratio])
  paintLevel({ ctx, bbox }, y - 0.5, colors().limit)
  ctx.setLineDash([])
}

function paintGutter({ ctx, bbox, valToPos }, { lanes, limit, unit = '/s' }, tops) {
  const ratio = uPlot.pxRatio
  const half = 5.5 * ratio
  const label = (text, y, strong = false) =>
    paintText(ctx, text, { x: bbox.left - 7 * ratio, y, align: 'right', baseline: 'middle', strong })
  if (lanes.window && limit > 0) {
    label(shortNumber(limit), Math.max(valToPos(limit, 'window', true), half), true)
  } else if (lanes.window) {
    const highest = tops.window / 1.06
    label(shortNumber(Math.round(highest)), valToPos(highest, 'window', true) + half * 0.4)
  }
  label(`${shortNumber(tops.flow)}${unit}`, valToPos(tops.flow, 'up', true) + half * 0.6)
  label('0', valToPos(0, 'up', true))
  // Charts of a dense list are so close that it would stand on the next one's; up and down have one scale.
  if (!lanes.window) return
  const lowest = Math.min(valToPos(tops.flow, 'down', true), bbox.top + bbox.height)
  label(`${shortNumber(tops.flow)}${unit}`, lowest - half * 0.6)
}

/** "60 s", "40 s", "20 s" and the word for the end below a chart that has its time to itself. */
function paintAgo({ ctx, bbox, valToPos }, spec) {
  const y = bbox.top + bbox.height + 5 * uPlot.pxRatio
  for (const second of gridOf(spec)) {
    const back = spec.to - second
    const align = back === 0 ? 'right' : second === spec.from ? 'left' : 'center'
    const x = valToPos(second, 'x', true)
    paintText(ctx, back === 0 ? spec.ago : `${back} s`, { x, y, align, baseline: 'top' })
  }
}

function paintText(ctx, text, { x, y, align, baseline, strong = false }) {
  const { font, strong: bold, quiet } = colors()
  ctx.fillStyle = strong ? bold : quiet
  ctx.font = `${strong ? 600 : 400} ${11 * uPlot.pxRatio}px ${font}`
  ctx.textAlign = align
  ctx.textBaseline = baseline
  ctx.fillText(text, x, y)
}

/** Three figures, as the gutter is narrow: what is exact stands beside the chart. */
const shortNumber = (value) => (value >= 1000 ? compact.format(value).replace('K', 'k') : plain.format(value))
