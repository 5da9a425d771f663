// A line below each chart: how much is left at the end of each bucket.
import { colors, watchColors } from './chart-colors.js'
import { shortNumber } from './short-number.js'
import { uPlot } from './uplot.js'

const height = 44

/** Draws into `target`; `gutter`, `from` and `to` as the chart above has them. */
export function leftChart(target, { gutter }) {
  const state = { from: 0, to: 1, most: 1 }
  const size = () => ({ width: Math.max(80, target.clientWidth), height })
  const line = {
    scale: 'left',
    width: 1.5,
    points: { show: false },
    paths: uPlot.paths.stepped({ align: 1 }),
  }
  const plot = new uPlot(
    {
      ...size(),
      padding: [8, 0, 2, gutter],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: () => [state.from, state.to] },
        left: { range: () => [0, state.most] },
      },
      axes: [{ show: false }, { show: false, scale: 'left' }],
      series: [{}, { ...line, stroke: () => colors().strong }],
      hooks: { draw: [(drawn) => paintGutter(drawn, state.most)] },
    },
    [[], []],
    target,
  )
  const resizing = new ResizeObserver(() => plot.setSize(size()))
  resizing.observe(target)
  const unwatch = watchColors(() => plot.redraw(false))
  return {
    update({ from, to, step, left, limit }) {
      Object.assign(state, { from, to, most: Math.max(limit, ...left, 1) * 1.05 })
      const xs = left.map((_, i) => from + i * step)
      plot.setData([
        [...xs, to],
        [...left, left.at(-1) ?? 0],
      ])
    },
    destroy() {
      unwatch()
      resizing.disconnect()
      plot.destroy()
    },
  }
}

function paintGutter({ ctx, bbox, valToPos }, most) {
  const ratio = uPlot.pxRatio
  const { font, quiet, base } = colors()
  ctx.save()
  ctx.fillStyle = quiet
  ctx.font = `400 ${11 * ratio}px ${font}`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'middle'
  const x = bbox.left - 7 * ratio
  ctx.fillText(shortNumber(Math.round(most / 1.05)), x, valToPos(most / 1.05, 'left', true))
  ctx.fillText('0', x, valToPos(0, 'left', true) - 4 * ratio)
  ctx.strokeStyle = base
  ctx.lineWidth = ratio
  ctx.beginPath()
  ctx.moveTo(bbox.left, valToPos(0, 'left', true))
  ctx.lineTo(bbox.left + bbox.width, valToPos(0, 'left', true))
  ctx.stroke()
  ctx.restore()
}
