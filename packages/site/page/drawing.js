// The traffic as columns, on the time axis of the charts below. Drawn with the pointer, or by the arrow keys.
import { tidyTop } from './chart-scale.js'
import { everySeconds, gutter, sinceBegin } from './time-axis.js'

const height = 150
const below = 20
const above = 8
const namespace = 'http://www.w3.org/2000/svg'
const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }

export function startDrawing(target, changed) {
  const svg = svgNode('svg', { height: height + below, class: 'traffic' })
  const view = { columns: [], step: 1, isEditable: true, top: 10, at: 0 }
  let handles = []
  target.append(svg)
  new ResizeObserver(draw).observe(target)

  const plotWidth = () => Math.max(1, target.clientWidth - gutter)
  const xOf = (column) => gutter + (column / view.columns.length) * plotWidth()
  const yOf = (value) => above + (height - above) * (1 - Math.min(1, value / view.top))

  function draw() {
    if (view.columns.length === 0) return
    const focused = handles.indexOf(document.activeElement)
    svg.replaceChildren()
    handles = []
    svg.setAttribute('width', target.clientWidth)
    describe()
    const text = (words, x, y, anchor) => {
      const node = svgNode('text', { x, y, 'text-anchor': anchor, 'aria-hidden': true })
      node.textContent = words
      svg.append(node)
    }
    text(String(view.top), gutter - 7, above + 4, 'end')
    text('0', gutter - 7, height + 3, 'end')
    const span = view.columns.length * view.step
    for (let second = 0; second <= span + 1e-9; second += everySeconds(span)) {
      const x = xOf(second / view.step)
      svg.append(svgNode('path', { d: `M${x} ${above}V${height}`, class: 'grid' }))
      text(sinceBegin(second), x, height + 15, second === 0 ? 'start' : second === span ? 'end' : 'middle')
    }
    svg.append(svgNode('path', { d: `M${gutter} ${height}h${plotWidth()}`, class: 'base' }))
    for (const [i, value] of view.columns.entries()) drawColumn(value, i)
    if (focused >= 0) handles[view.at]?.focus()
  }

  function drawColumn(value, i) {
    const width = xOf(1) - xOf(0)
    const column = svgNode('g', view.isEditable ? sliderOf(value, i) : {})
    column.append(
      svgNode('rect', { x: xOf(i), y: above, width, height: height - above, class: 'hit' }),
      svgNode('rect', {
        x: xOf(i) + width * 0.07,
        y: yOf(value),
        width: width * 0.86,
        height: height - yOf(value),
        class: 'offered',
      }),
    )
    svg.append(column)
    handles.push(column)
  }

  function sliderOf(value, i) {
    return {
      role: 'slider',
      tabindex: i === view.at ? 0 : -1,
      'aria-orientation': 'vertical',
      'aria-label': `From ${sinceBegin(Math.round(i * view.step * 1000) / 1000)} on`,
      'aria-valuemin': 0,
      'aria-valuemax': Math.max(view.top, value),
      'aria-valuenow': value,
      'aria-valuetext': value === 1 ? '1 request' : `${value} requests`,
    }
  }

  function describe() {
    const words = view.isEditable
      ? 'Requests in each column: left and right choose a column, up and down change it'
      : 'Requests over time'
    svg.setAttribute('role', view.isEditable ? 'group' : 'img')
    svg.setAttribute('aria-label', words)
  }

  function set(column, value) {
    const columns = view.columns.with(column, Math.max(0, Math.round(value)))
    if (String(columns) === String(view.columns)) return
    view.columns = columns
    draw()
    changed(columns)
  }

  let last = null
  function drawTo(event) {
    const { left, top } = svg.getBoundingClientRect()
    const column = Math.floor(((event.clientX - left - gutter) / plotWidth()) * view.columns.length)
    if (column < 0 || column >= view.columns.length) return
    const value = Math.min(view.top, view.top * (1 - (event.clientY - top - above) / (height - above)))
    // A quick stroke skips columns: those between are drawn too.
    for (let i = Math.min(column, last ?? column); i <= Math.max(column, last ?? column); i++) set(i, value)
    last = column
    view.at = column
  }
  svg.addEventListener('pointerdown', (event) => {
    if (!view.isEditable || event.button !== 0) return
    svg.setPointerCapture(event.pointerId)
    drawTo(event)
    handles[view.at]?.focus()
    event.preventDefault()
  })
  svg.addEventListener('pointermove', (event) => {
    if (svg.hasPointerCapture(event.pointerId)) drawTo(event)
  })
  svg.addEventListener('lostpointercapture', () => {
    last = null
  })
  svg.addEventListener('keydown', (event) => {
    const { key } = event
    if (!view.isEditable) return
    const value = view.columns[view.at] ?? 0
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      view.at = Math.min(Math.max(view.at + (key === 'ArrowRight' ? 1 : -1), 0), view.columns.length - 1)
      draw()
    } else if (steps[key] !== undefined) set(view.at, value + steps[key])
    else if (key === 'Home' || key === 'End') set(view.at, key === 'Home' ? 0 : view.top)
    else return
    event.preventDefault()
  })

  return {
    /** `fits`: the scale follows the columns. */
    show(columns, { step, isEditable, fits }) {
      const most = Math.max(...columns, 0)
      if (fits || most > view.top) view.top = Math.max(10, tidyTop(most * 1.2))
      Object.assign(view, { columns, step, isEditable, at: Math.min(view.at, columns.length - 1) })
      draw()
    },
    setTop(top) {
      if (!(top >= 1)) return
      view.top = Math.max(top, ...view.columns)
      draw()
    },
    top: () => view.top,
  }
}

function svgNode(name, attributes) {
  const node = document.createElementNS(namespace, name)
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value)
  return node
}
