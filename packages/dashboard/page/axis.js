// The one axis of time above all rows: when it was, and when was decided without the store.
import { byId } from './dom.js'
import { clock, hourAndMinute } from './numbers.js'

const svg = 'http://www.w3.org/2000/svg'

/** Seconds between the lines of the grid, by the span shown: the first at which the times have room. */
const gridSeconds = { 60: [10, 20, 30], 300: [60, 120], 900: [180, 300], 3600: [600, 1200] }

/** Room for "14:10" and for "14:10:43", in px, and for "now" at the end. */
const shortTime = 52
const longTime = 76
const nowRoom = 18
const clockRoom = 50

export function gridStep(spanSeconds, width) {
  const steps = gridSeconds[spanSeconds]
  const fits = (step) => (step * width) / spanSeconds >= roomFor(step)
  return steps.find(fits) ?? steps[steps.length - 1]
}

const roomFor = (step) => (step < 60 ? longTime : shortTime)

/** `gutter`: px at the left of the charts; `width`: px of their axis of time; `live`: whether its end is now. */
export function showAxis({ from, to, every, outages }, { gutter, width, live }) {
  const axis = byId('axis')
  const span = to - from
  const at = (second) => `${(100 * (second - from)) / span}%`
  const words = every < 60 ? clock : hourAndMinute
  const seconds = (pixels) => (pixels * span) / width
  const first = from + seconds(roomFor(every) / 4)
  const last = to - seconds(roomFor(every) / 2 + (live ? nowRoom : clockRoom))
  const marks = []
  // The last word says when it ends, and the first one must not stand out at the left.
  for (let second = Math.ceil(first / every) * every; second <= last; second += every) {
    marks.push(element('text', { x: at(second), y: 12 }, words(second)))
  }
  marks.push(element('text', { class: 'end', x: '100%', y: 12 }, live ? 'now' : clock(to)))
  for (const [start, end] of outages) {
    const [x1, x2] = [Math.max(start, from), Math.min(end ?? to, to)]
    if (x1 < x2) marks.push(element('line', { x1: at(x1), x2: at(x2), y1: 19, y2: 19 }))
  }
  axis.setAttribute('x', gutter)
  axis.setAttribute('width', width)
  axis.replaceChildren(...marks)
}

function element(name, attributes, text = '') {
  const node = document.createElementNS(svg, name)
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value)
  node.textContent = text
  return node
}
